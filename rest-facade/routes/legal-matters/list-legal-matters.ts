import { graphRoute } from '../../graph-route.js';

export const listLegalMatters = graphRoute({
  method: 'GET',
  path: '/v1/legal-matters',
  area: 'legal-matters',
  scope: 'matters:read',
  tenant: 'required',
  summary: 'List legal matters',
  operation: { name: 'ListLegalMatters', field: 'legalMatters' },
  answer: 'One page of legal matters, newest first unless told.',
});
