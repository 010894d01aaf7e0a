import { graphRoute } from '../../graph-route.js';

export const getConnector = graphRoute({
  method: 'GET',
  path: '/v1/connectors/{id}',
  area: 'connectors',
  scope: 'connectors:read',
  tenant: 'required',
  summary: 'Read one connector',
  operation: { name: 'GetConnector', field: 'connector' },
  params: { id: 'connector_id' },
  answer: 'The connector, how it fares, and its latest changes.',
});
