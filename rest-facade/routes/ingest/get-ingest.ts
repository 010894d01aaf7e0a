import { graphRoute } from '../../graph-route.js';
import type { RouteMaker } from '../../route.js';
import { bareAcknowledgement } from './acknowledgement.js';

const route = graphRoute({
  method: 'GET',
  path: '/v1/ingest/{ingest_id}',
  area: 'ingest',
  scope: 'events:read',
  tenant: 'required',
  summary: 'Read the outcome of a raw ingest',
  operation: { name: 'GetIngest', field: 'ingest' },
  params: { ingest_id: 'ingest_id' },
  answer: 'The counts of the ingest, its first results and its acknowledgement.',
});

export const getIngest: RouteMaker = (contract) => ({ ...route(contract), ...bareAcknowledgement });
