import { graphRoute } from '../../graph-route.js';

export const listBundles = graphRoute({
  method: 'GET',
  path: '/v1/bundles',
  area: 'bundles',
  scope: 'bundles:read',
  tenant: 'required',
  summary: 'List bundles',
  operation: { name: 'ListBundles', field: 'bundles' },
  answer: 'One page of bundles, newest first unless told.',
});
