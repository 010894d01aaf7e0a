import { graphRoute } from '../../graph-route.js';

export const convertLead = graphRoute({
  method: 'POST',
  path: '/v1/leads/{id}/convert',
  area: 'leads',
  scope: 'leads:write',
  tenant: 'required',
  summary: 'Note what a lead became',
  operation: { name: 'ConvertLead', field: 'convertLead' },
  params: { id: 'lead_id' },
  body: 'arguments',
  bodyExample: { converted_to: { kind: 'MATTER', id: 'mat_01JQ0000000000000000000001' } },
  secretAnswer: true,
  answer: 'The lead, CONVERTED.',
});
