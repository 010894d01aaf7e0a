import { graphRoute } from '../../graph-route.js';

export const disableConnector = graphRoute({
  method: 'POST',
  path: '/v1/connectors/{id}/disable',
  area: 'connectors',
  scope: 'connectors:write',
  tenant: 'required',
  summary: 'Close a connector',
  description: 'What has come in is finished and answered first.',
  operation: { name: 'DisableConnector', field: 'disableConnector' },
  params: { id: 'connector_id' },
  body: 'free',
  answer: 'The connector.',
});
