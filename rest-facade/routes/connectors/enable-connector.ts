import { graphRoute } from '../../graph-route.js';

export const enableConnector = graphRoute({
  method: 'POST',
  path: '/v1/connectors/{id}/enable',
  area: 'connectors',
  scope: 'connectors:write',
  tenant: 'required',
  summary: 'Open a connector',
  description: 'It is open within a second, and again after each start. One in ERROR is tried at once.',
  operation: { name: 'EnableConnector', field: 'enableConnector' },
  params: { id: 'connector_id' },
  body: 'free',
  answer: 'The connector.',
});
