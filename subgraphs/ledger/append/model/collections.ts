import { declareCollection } from '../../../../shared/records/collections.js';

export const LEDGER_COLLECTION = 'ledger';

/** An index of the rows that have a member: few events have one. */
const sparse = (name: string, keys: Readonly<Record<string, 1 | -1>>) =>
  [{ tenant_id: 1, ...keys }, { partialFilterExpression: { [name]: { $exists: true } } }] as const;

/** Finds rows that name a disposal, in order of events; the last key only sets it apart from the index of all events. */
const DISPOSED_INDEX_KEYS = { event_id: 1, disposal_id: 1 } as const;
export const DISPOSED_INDEX = { tenant_id: 1, ...DISPOSED_INDEX_KEYS } as const;

const MEMBER_INDEX_KEYS = { 'query.member_id': 1, 'query.effective_at': -1, event_id: -1 } as const;
export const MEMBER_INDEX = { tenant_id: 1, ...MEMBER_INDEX_KEYS } as const;

export const LEDGER = declareCollection(
  LEDGER_COLLECTION,
  // One index stops duplicates, finds conflicts and lists the events of a source record. fact_key follows from the
  // envelope, so this index makes duplicate_key unique within (tenant, source system).
  [
    { tenant_id: 1, source_system: 1, fact_key: 1, duplicate_key: 1 },
    { unique: true, partialFilterExpression: { fact_key: { $exists: true } } },
  ],
  [{ tenant_id: 1, event_id: 1 }],
  [{ tenant_id: 1, 'query.effective_at': -1, event_id: -1 }],
  sparse('query.member_id', MEMBER_INDEX_KEYS),
  // Bundles select by them.
  sparse('query.matter_id', { 'query.matter_id': 1, 'query.effective_at': 1, event_id: 1 }),
  sparse('query.incident_id', { 'query.incident_id': 1, 'query.effective_at': 1, event_id: 1 }),
  sparse('disposed_of', { disposed_of: 1, event_id: 1 }),
  sparse('disposal_id', DISPOSED_INDEX_KEYS),
  // A crash recovery finds conflicts without reading the chain.
  sparse('conflicts_with', { source_system: 1, '_id.seq': 1 }),
  // Custody is queried by subject, member, action or actor, in order of time, under one index.
  // Facts are found by the records that their subjects refer to.
  sparse('query.fact_refs', { source_system: 1, 'query.fact_refs': 1 }),
  sparse('query.custody_keys', { 'query.custody_keys': 1, 'query.effective_at': 1, event_id: 1 }),
);
