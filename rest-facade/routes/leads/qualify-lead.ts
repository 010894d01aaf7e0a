import { graphRoute } from '../../graph-route.js';

export const qualifyLead = graphRoute({
  method: 'POST',
  path: '/v1/leads/{id}/qualify',
  area: 'leads',
  scope: 'leads:write',
  tenant: 'required',
  summary: 'Note that a lead is worth following',
  operation: { name: 'QualifyLead', field: 'qualifyLead' },
  params: { id: 'lead_id' },
  secretAnswer: true,
  answer: 'The lead, QUALIFIED.',
});
