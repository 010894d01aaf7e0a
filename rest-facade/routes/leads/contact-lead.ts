import { graphRoute } from '../../graph-route.js';

export const contactLead = graphRoute({
  method: 'POST',
  path: '/v1/leads/{id}/contact',
  area: 'leads',
  scope: 'leads:write',
  tenant: 'required',
  summary: 'Note that a lead was contacted',
  operation: { name: 'ContactLead', field: 'contactLead' },
  params: { id: 'lead_id' },
  secretAnswer: true,
  answer: 'The lead, CONTACTED.',
});
