import { graphRoute } from '../../graph-route.js';

export const listConnectors = graphRoute({
  method: 'GET',
  path: '/v1/connectors',
  area: 'connectors',
  scope: 'connectors:read',
  tenant: 'required',
  summary: 'List connectors',
  operation: { name: 'ListConnectors', field: 'connectors' },
  answer: 'One page of connectors, newest first unless told.',
});
