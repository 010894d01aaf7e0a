import { graphRoute } from '../../graph-route.js';

export const getIngest = graphRoute({
  method: 'GET',
  path: '/v1/ingest/{ingest_id}',
  area: 'ingest',
  scope: 'events:read',
  tenant: 'required',
  summary: 'Read the outcome of a raw ingest',
  operation: { name: 'GetIngest', field: 'ingest' },
  params: { ingest_id: 'ingest_id' },
  answer: 'The counts of the ingest and its first results.',
});
