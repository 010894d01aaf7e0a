import { graphRoute } from '../../graph-route.js';

/** `tenant_id` in the body is the target: for a tenant's administrator it must be its own. */
export const createApiKey = graphRoute({
  method: 'POST',
  path: '/v1/api-keys',
  area: 'api-keys',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Make an API key',
  operation: { name: 'CreateApiKey', field: 'createApiKey' },
  body: { argument: 'input' },
  bodyExample: { tenant_id: 'acme', name: 'claims feed', scopes: ['events:write'] },
  secretAnswer: true,
  answer: 'The key with api_key, which is shown this once.',
});
