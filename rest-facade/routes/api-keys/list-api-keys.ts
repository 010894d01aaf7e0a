import { graphRoute } from '../../graph-route.js';

export const listApiKeys = graphRoute({
  method: 'GET',
  path: '/v1/api-keys',
  area: 'api-keys',
  scope: 'admin',
  tenant: 'optional',
  summary: 'List API keys',
  operation: { name: 'ListApiKeys', field: 'apiKeys' },
  answer: 'One page of keys, none with its secret.',
});
