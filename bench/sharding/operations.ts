import type { Routing } from '../../shared/db/sharding/routing.js';

/** An operation on a sharded collection, and who asks for it. test/shared/db/sharding/operations.test.ts records each filter. */
export interface ShardedOperation {
  readonly store: 'ledger' | 'tree' | 'contents';
  readonly operation: string;
  readonly routes: string;
  readonly routing: Routing;
}

export const OPERATIONS: readonly ShardedOperation[] = [
  { store: 'ledger', operation: 'append', routes: 'POST /v1/events, ingest', routing: 'targeted' },
  { store: 'ledger', operation: 'entriesByFact', routes: 'POST /v1/events, for duplicates', routing: 'targeted' },
  {
    store: 'ledger',
    operation: 'tail',
    routes: 'POST /v1/events, at the first of a chain in a process',
    routing: 'scattered',
  },
  { store: 'ledger', operation: 'byEventId', routes: 'GET /v1/events/{id}', routing: 'targeted' },
  { store: 'ledger', operation: 'list', routes: 'GET /v1/events', routing: 'targeted' },
  { store: 'ledger', operation: 'ofMembersAt', routes: 'timelines', routing: 'targeted' },
  { store: 'ledger', operation: 'rowsOfRecords', routes: 'joins of a source record', routing: 'targeted' },
  { store: 'ledger', operation: 'sourceSystems', routes: 'verification, jobs: one seek a chain', routing: 'scattered' },
  { store: 'ledger', operation: 'head', routes: 'dashboard, reconciliation', routing: 'scattered' },
  { store: 'ledger', operation: 'keys', routes: 'GET /v1/ledger/verify', routing: 'scattered' },
  { store: 'ledger', operation: 'rows', routes: 'followers: search, links, graph, webhooks', routing: 'scattered' },
  { store: 'ledger', operation: 'rowsAt', routes: 'search results, timelines', routing: 'scattered' },
  { store: 'ledger', operation: 'wormHashes', routes: 'reconciliation', routing: 'scattered' },
  { store: 'tree', operation: 'treeIndexOf', routes: 'proofs of inclusion', routing: 'targeted' },
  { store: 'tree', operation: 'ofChain', routes: 'GET /v1/ledger/verify', routing: 'targeted' },
  { store: 'tree', operation: 'leavesAt', routes: 'bundles', routing: 'targeted' },
  { store: 'tree', operation: 'assignedUpTo', routes: 'checkpoints', routing: 'targeted' },
  { store: 'tree', operation: 'size', routes: 'checkpoints', routing: 'scattered' },
  { store: 'tree', operation: 'rows', routes: 'GET /v1/ledger/verify', routing: 'scattered' },
  {
    store: 'contents',
    operation: 'blocks',
    routes: 'GET /v1/documents/{id}, downloads of bundles',
    routing: 'targeted',
  },
];
