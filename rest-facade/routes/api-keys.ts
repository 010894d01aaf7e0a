import { type RouteArea, routeTable } from '../route-table.js';

const API_KEYS: RouteArea = { area: 'api-keys', id: 'key_id', reads: 'admin', tenant: 'optional' };

export const apiKeyRoutes = routeTable(API_KEYS, {
  /** `tenant_id` in the body is the target; a tenant's administrator must name their own tenant. */
  'POST /v1/api-keys': {
    summary: 'Create an API key',
    operation: { name: 'CreateApiKey', field: 'createApiKey' },
    bodyExample: { tenant_id: 'acme', name: 'claims feed', scopes: ['events:write'] },
    secretAnswer: true,
    answer: 'The key with api_key, which only this answer shows.',
  },
  'GET /v1/api-keys': {
    summary: 'List API keys',
    operation: { name: 'ListApiKeys', field: 'apiKeys' },
    answer: 'One page of keys, without their secrets.',
  },
  'GET /v1/api-keys/{id}': {
    summary: 'Read one API key',
    operation: { name: 'GetApiKey', field: 'apiKey' },
    answer: 'The key, without its secret.',
  },
  'POST /v1/api-keys/{id}/rotate': {
    summary: 'Rotate an API key',
    description:
      'The successor has the same scopes, roles, actor, addresses and expiry. The old key works for another grace_seconds, but not beyond its expiry; 0 revokes it at once.',
    operation: { name: 'RotateApiKey', field: 'rotateApiKey' },
    bodyOptional: true,
    bodyExample: { grace_seconds: 3600 },
    secretAnswer: true,
    answer: 'The successor with api_key, which only this answer shows.',
  },
  'DELETE /v1/api-keys/{id}': {
    summary: 'Revoke an API key',
    operation: { name: 'RevokeApiKey', field: 'revokeApiKey' },
    answer: 'The updated key.',
  },
});
