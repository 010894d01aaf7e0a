import { graphRoute } from '../../graph-route.js';

export const listIngestResults = graphRoute({
  method: 'GET',
  path: '/v1/ingest/{ingest_id}/results',
  area: 'ingest',
  scope: 'events:read',
  tenant: 'required',
  summary: 'List the results of a raw ingest',
  operation: { name: 'ListIngestResults', field: 'ingestResults' },
  params: { ingest_id: 'ingest_id' },
  answer: 'One page of results.',
});
