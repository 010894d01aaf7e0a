import { graphRoute } from '../../graph-route.js';

export const closeLead = graphRoute({
  method: 'POST',
  path: '/v1/leads/{id}/close',
  area: 'leads',
  scope: 'leads:write',
  tenant: 'required',
  summary: 'Close a lead',
  operation: { name: 'CloseLead', field: 'closeLead' },
  params: { id: 'lead_id' },
  body: { argument: 'input' },
  bodyExample: { reason: 'RESOLVED' },
  secretAnswer: true,
  answer: 'The lead, CLOSED.',
});
