import { graphRoute } from '../../graph-route.js';

export const updateLegalMatter = graphRoute({
  method: 'PATCH',
  path: '/v1/legal-matters/{id}',
  area: 'legal-matters',
  scope: 'matters:write',
  tenant: 'required',
  summary: 'Change members of an open legal matter',
  description: 'Absent stays, null takes the description away.',
  operation: { name: 'UpdateLegalMatter', field: 'updateLegalMatter' },
  params: { id: 'matter_id' },
  body: { argument: 'input' },
  bodyExample: { description: 'Denial of PA-1 in March.' },
  answer: 'The legal matter.',
});
