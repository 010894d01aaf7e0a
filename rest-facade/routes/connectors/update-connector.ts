import { graphRoute } from '../../graph-route.js';

export const updateConnector = graphRoute({
  method: 'PATCH',
  path: '/v1/connectors/{id}',
  area: 'connectors',
  scope: 'connectors:write',
  tenant: 'required',
  summary: 'Change a connector',
  description: 'Absent stays; within config null takes away. One that runs is opened anew.',
  operation: { name: 'UpdateConnector', field: 'updateConnector' },
  params: { id: 'connector_id' },
  body: { argument: 'input' },
  bodyExample: { name: 'Hospital north, ADT and ORU' },
  answer: 'The connector.',
});
