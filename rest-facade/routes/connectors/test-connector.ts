import { graphRoute } from '../../graph-route.js';

export const testConnector = graphRoute({
  method: 'POST',
  path: '/v1/connectors/{id}/test',
  area: 'connectors',
  scope: 'connectors:write',
  tenant: 'required',
  summary: 'Try a connector without taking a message',
  description:
    'Whether its port can be listened on, its folder be used, its server be asked; as seen from this process.',
  operation: { name: 'TestConnector', field: 'testConnector' },
  params: { id: 'connector_id' },
  body: 'free',
  answer: 'What was tried.',
});
