import { graphRoute } from '../../graph-route.js';

export const rotateApiKey = graphRoute({
  method: 'POST',
  path: '/v1/api-keys/{id}/rotate',
  area: 'api-keys',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Rotate an API key',
  description:
    'The successor has the same scopes, roles, actor, addresses and expiry. The old key works for grace_seconds more, never beyond its own expiry; 0 revokes it at once.',
  operation: { name: 'RotateApiKey', field: 'rotateApiKey' },
  params: { id: 'key_id' },
  body: { argument: 'input' },
  bodyOptional: true,
  bodyExample: { grace_seconds: 3600 },
  secretAnswer: true,
  answer: 'The successor with api_key, which is shown this once.',
});
