import { type RouteArea, routeTable } from '../../route-table.js';
import { bareAcknowledgement, postRaw } from './post-raw.js';
import { validateRaw } from './validate-raw.js';

const INGEST: RouteArea = { area: 'ingest', reads: 'events:read' };

export const ingestRoutes = routeTable(INGEST, {
  'POST /v1/ingest/raw': postRaw,
  'POST /v1/ingest/raw/validate': validateRaw,
  'GET /v1/ingest/{ingest_id}': {
    summary: 'Read the outcome of a raw ingest',
    operation: { name: 'GetIngest', field: 'ingest' },
    answer: 'The counts of the ingest, its first results and its acknowledgement.',
    extend: () => bareAcknowledgement,
  },
  'GET /v1/ingest/{ingest_id}/results': {
    summary: 'List the results of a raw ingest',
    operation: { name: 'ListIngestResults', field: 'ingestResults' },
    answer: 'One page of results.',
  },
});
