import { graphRoute } from '../../graph-route.js';

export const getLegalMatter = graphRoute({
  method: 'GET',
  path: '/v1/legal-matters/{id}',
  area: 'legal-matters',
  scope: 'matters:read',
  tenant: 'required',
  summary: 'Read one legal matter',
  operation: { name: 'GetLegalMatter', field: 'legalMatter' },
  params: { id: 'matter_id' },
  answer: 'The legal matter with its steps.',
});
