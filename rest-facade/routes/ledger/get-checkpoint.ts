import { graphRoute } from '../../graph-route.js';
import { memberText, withPlainText } from './plain-text.js';

const NOTE = { description: 'The signed note alone.', of: memberText('note') };

export const getCheckpoint = withPlainText(
  graphRoute({
    method: 'GET',
    path: '/v1/ledger/checkpoints/{id}',
    area: 'ledger',
    scope: 'events:read',
    tenant: 'required',
    summary: 'Read a signed checkpoint',
    operation: { name: 'GetCheckpoint', field: 'checkpoint' },
    params: { id: 'checkpoint_id' },
    answer: 'The checkpoint with its signed note.',
  }),
  NOTE,
);

export const getLatestCheckpoint = withPlainText(
  graphRoute({
    method: 'GET',
    path: '/v1/ledger/checkpoints/latest',
    area: 'ledger',
    scope: 'events:read',
    tenant: 'required',
    summary: 'Read the latest signed checkpoint',
    description: 'A ledger that has had its first entry within the last seconds may have none yet: then 404.',
    operation: { name: 'GetLatestCheckpoint', field: 'latestCheckpoint' },
    answer: 'The checkpoint with its signed note.',
  }),
  NOTE,
);
