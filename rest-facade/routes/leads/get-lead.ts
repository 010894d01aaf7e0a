import { graphRoute } from '../../graph-route.js';

export const getLead = graphRoute({
  method: 'GET',
  path: '/v1/leads/{id}',
  area: 'leads',
  scope: 'leads:read',
  tenant: 'required',
  summary: 'Read one lead',
  operation: { name: 'GetLead', field: 'lead' },
  params: { id: 'lead_id' },
  answer: 'The lead with its steps.',
});
