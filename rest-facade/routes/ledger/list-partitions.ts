import { graphRoute } from '../../graph-route.js';

export const listPartitions = graphRoute({
  method: 'GET',
  path: '/v1/ledger/partitions',
  area: 'ledger',
  scope: 'events:read',
  tenant: 'required',
  summary: 'List the chains of the tenant and their heads',
  operation: { name: 'ListPartitions', field: 'ledgerPartitions' },
  answer: 'The head of each partition.',
});
