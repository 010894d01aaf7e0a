import { graphRoute } from '../../graph-route.js';

export const listCheckpoints = graphRoute({
  method: 'GET',
  path: '/v1/ledger/checkpoints',
  area: 'ledger',
  scope: 'events:read',
  tenant: 'required',
  summary: 'List signed checkpoints of the ledger',
  operation: { name: 'ListCheckpoints', field: 'checkpoints' },
  answer: 'Checkpoints, newest first.',
});
