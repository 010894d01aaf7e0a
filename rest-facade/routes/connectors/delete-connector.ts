import { graphRoute } from '../../graph-route.js';

export const deleteConnector = graphRoute({
  method: 'DELETE',
  path: '/v1/connectors/{id}',
  area: 'connectors',
  scope: 'connectors:write',
  tenant: 'required',
  summary: 'Delete a connector',
  description: 'Its events stay, and so do its entries in the ledger and its files. Its secrets are erased.',
  operation: { name: 'DeleteConnector', field: 'deleteConnector' },
  params: { id: 'connector_id' },
  answer: 'The connector, DELETED.',
});
