import type { RouteMaker } from '../../route.js';

export const getOpenApi: RouteMaker = () => ({
  method: 'GET',
  path: '/v1/openapi.json',
  area: 'openapi',
  scope: null,
  tenant: 'none',
  summary: 'This description',
  operation: null,
  entityTag: true,
  response: { description: 'An OpenAPI 3.1 document.', schema: { type: 'object' } },
  handle: async ({ services }) => services.openApi(),
});
