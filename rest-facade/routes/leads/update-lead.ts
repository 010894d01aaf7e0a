import { graphRoute } from '../../graph-route.js';

export const updateLead = graphRoute({
  method: 'PATCH',
  path: '/v1/leads/{id}',
  area: 'leads',
  scope: 'leads:write',
  tenant: 'required',
  summary: 'Change members of an open lead',
  description: 'Absent stays, null takes away.',
  operation: { name: 'UpdateLead', field: 'updateLead' },
  params: { id: 'lead_id' },
  body: { argument: 'input' },
  bodyExample: { assigned_to: 'intake-team', score: 60 },
  answer: 'The lead.',
});
