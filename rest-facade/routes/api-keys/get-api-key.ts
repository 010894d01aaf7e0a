import { graphRoute } from '../../graph-route.js';

export const getApiKey = graphRoute({
  method: 'GET',
  path: '/v1/api-keys/{id}',
  area: 'api-keys',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Read one API key',
  operation: { name: 'GetApiKey', field: 'apiKey' },
  params: { id: 'key_id' },
  answer: 'The key, without its secret.',
});
