// The only definition of shard keys. A collection is here with its key, or in UNSHARDED with the reason why it stays on one
// shard; test/shared/db/sharding/plan.test.ts compares both with the collections and unique indexes of a real database.

export type ShardKey = Readonly<Record<string, 1>>;

export interface ShardedCollection {
  readonly name: string;
  readonly database: 'service' | 'worm';
  readonly key: ShardKey;
  /** Rows that share this much of the key always stay on one shard. */
  readonly unit: 'chain' | 'tenant' | 'block';
  readonly reason: string;
  /** True if the collection's own indexes do not support the key: each has a filter, or begins otherwise. */
  readonly needsIndex?: true;
}

export const SHARDED: readonly ShardedCollection[] = [
  {
    name: 'ledger',
    database: 'service',
    key: { tenant_id: 1, source_system: 1 },
    unit: 'chain',
    needsIndex: true,
    reason: 'The index of duplicates begins with it, and the _id of a row is unique within its chain.',
  },
  {
    name: 'ledger_tree',
    database: 'service',
    key: { tenant_id: 1 },
    unit: 'tenant',
    reason: 'The number of a leaf is unique within its tenant, over all chains.',
  },
  {
    name: 'worm_blobs.chunks',
    database: 'worm',
    key: { files_id: 1, n: 1 },
    unit: 'block',
    reason: 'The key that MongoDB recommends for GridFS. Ids grow with time, so new chunks of data begin on one shard.',
  },
];

/** Collections that stay on the primary shard of their database, by the reason. */
export const UNSHARDED = {
  'a unique index without the tenant': ['api_keys', 'tenants'],
  'a capped collection, which cannot be sharded': ['wakeups'],
  'a queue whose steps name a row by its id alone': [
    'bundle_timestamps',
    'bundles',
    'document_texts',
    'documents',
    'event_link_cursors',
    'event_search_cursors',
    'graph_cursors',
    'ledger_time_stamps',
    'webhook_deliveries',
  ],
  'records whose changes name a row by its id alone': [
    'access_codes',
    'actors',
    'advocacy_answers',
    'ai_decisions',
    'appointments',
    'bundle_links',
    'care_team_entries',
    'connectors',
    'consent_heads',
    'consents',
    'data_rights',
    'deletion_gates',
    'disposals',
    'exceptions',
    'feature_flags',
    'hold_flags',
    'hold_notices',
    'hold_tombstones',
    'leads',
    'legal_holds',
    'legal_matters',
    'member_merges',
    'member_sessions',
    'members',
    'messages',
    'redactions',
    'retention_policies',
    'retention_sweeps',
    'roles',
    'rules',
    'saved_views',
    'sessions',
    'signing_keys',
    'source_feeds',
    'unknown_members',
    'webhooks',
  ],
  'a projection whose rows are replaced by id; it can be rebuilt': [
    'event_links',
    'event_search',
    'graph_records',
    'member_changes',
  ],
  'few rows a tenant': [
    'access_code_limits',
    'deployment',
    'ingests',
    'job_queues',
    'ledger_checkpoints',
    'ledger_copied',
    'ledger_incarnations',
    'ledger_notices',
    'ledger_scrubs',
    'member_feed_cursors',
    'webhook_ledger_cursors',
  ],
  'the catalogue of write-once bytes: removal marks and claims name rows by id': [
    'blob_claims',
    'blobs',
    'worm_blobs.files',
    'worm_holds',
    'worm_keys',
    'worm_places',
    'worm_segments',
  ],
} as const;

/** A segment is a separate capped collection; its database has one primary shard. */
export const isSegment = (collection: string): boolean => collection.startsWith('worm_log_');

/**
 * MongoDB enforces a unique index within a shard only, so it accepts one on a sharded collection only if the index begins with
 * the shard key. @returns true if the index keeps its promise over all shards
 */
export function isUniqueOverShards(shardKey: ShardKey, indexKeys: readonly string[]): boolean {
  return Object.keys(shardKey).every((field, place) => indexKeys[place] === field);
}
