import { graphRoute } from '../../graph-route.js';

export const getRedaction = graphRoute({
  method: 'GET',
  path: '/v1/redactions/{id}',
  area: 'redactions',
  scope: 'redactions:read',
  tenant: 'required',
  summary: 'Read one redaction',
  operation: { name: 'GetRedaction', field: 'redaction' },
  params: { id: 'redaction_id' },
  answer: 'The redaction with its steps.',
});
