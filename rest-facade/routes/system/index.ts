import { type CustomRoute, type RouteArea, routeTable } from '../../route-table.js';
import { getHealth, getReadiness } from './health.js';
import { postGraphql } from './post-graphql.js';

const SYSTEM: RouteArea = { area: 'healthz', reads: null, tenant: 'none' };

const getOpenApi: CustomRoute = () => ({
  area: 'openapi',
  summary: 'Read this API description',
  description: 'The description of this version: every route with its schemas, scopes and errors. Open without a key.',
  operationId: 'getApiDescription',
  operation: null,
  entityTag: true,
  response: { description: 'An OpenAPI 3.1 document.', schema: { type: 'object' } },
  handle: async ({ services }) => services.openApi(),
});

export const systemRoutes = routeTable(SYSTEM, {
  'GET /v1/healthz': getHealth,
  'GET /v1/healthz/ready': getReadiness,
  'GET /v1/openapi.json': getOpenApi,
  'POST /graphql': postGraphql,
});
