import { graphRoute } from '../../graph-route.js';
import { memberText, withPlainText } from './plain-text.js';

export const getEventProof = withPlainText(
  graphRoute({
    method: 'GET',
    path: '/v1/events/{id}/proof',
    area: 'events',
    scope: 'events:read',
    tenant: 'required',
    summary: 'Prove that an event stands in the ledger',
    description:
      'The inclusion proof up to the latest signed checkpoint. An event that no checkpoint covers yet is a 409 CONFLICT ' +
      'with Retry-After: one follows within seconds.',
    operation: { name: 'GetEventProof', field: 'eventProof' },
    params: { id: 'event_id' },
    conflicts: true,
    answer: 'The proof, and the checkpoint that it leads to.',
  }),
  { description: 'The proof alone, in the form of C2SP tlog-proof.', of: memberText('tlog_proof') },
);
