import { graphRoute } from '../../graph-route.js';

export const discardRedaction = graphRoute({
  method: 'DELETE',
  path: '/v1/redactions/{id}',
  area: 'redactions',
  scope: 'redactions:write',
  tenant: 'required',
  summary: 'Give a draft up',
  description: 'The record stays, DISCARDED.',
  operation: { name: 'DiscardRedaction', field: 'discardRedaction' },
  params: { id: 'redaction_id' },
  answer: 'The redaction, DISCARDED.',
});
