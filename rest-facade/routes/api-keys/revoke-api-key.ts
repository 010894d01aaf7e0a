import { graphRoute } from '../../graph-route.js';

export const revokeApiKey = graphRoute({
  method: 'DELETE',
  path: '/v1/api-keys/{id}',
  area: 'api-keys',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Revoke an API key',
  operation: { name: 'RevokeApiKey', field: 'revokeApiKey' },
  params: { id: 'key_id' },
  answer: 'The key as it is now.',
});
