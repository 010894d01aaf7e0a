import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { STATES_INDEX } from '../../../shared/records/check-rows.js';
import { type DeclaredIndex, declareCollection } from '../../../shared/records/collections.js';
import { RecordStore, type RecordStoreDeps, type RecordStoreOptions } from '../../../shared/records/record-store.js';
import type { RowFacts } from '../../../shared/records/row-facts.js';
import { verifiesRows } from '../../../shared/records/verified-rows.js';
import type { BundleEffect, BundleQuery, BundleStore, StoredBundle, TenantBundles } from './ports.js';
import { BUNDLE_ROW } from './schema/bundle.js';

const SCOPED_BY = ['member_id', 'matter_id', 'incident_id'] as const;

const byScope = (name: (typeof SCOPED_BY)[number]): DeclaredIndex => [
  { tenant_id: 1, [`scope.${name}`]: 1, created_at: -1, _id: -1 },
  { partialFilterExpression: { [`scope.${name}`]: { $exists: true } } },
];

export const BUNDLES = declareCollection(
  'bundles',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1, created_at: -1, _id: -1 }],
  ...SCOPED_BY.map(byScope),
  [
    { tenant_id: 1, 'seal.worm_blob_sha256': 1 },
    { partialFilterExpression: { 'seal.worm_blob_sha256': { $exists: true } } },
  ],
  STATES_INDEX,
  PENDING_INDEX,
);

/** All that answers show of a bundle, but its progress; the inputs of its build are in its manifest. */
const BUNDLE_FACTS: RowFacts<StoredBundle> = {
  kind: 'bundle',
  evidential: [
    'status',
    'revision',
    'bundle_type',
    'scope',
    'profile',
    'requested_by',
    'consent',
    'sealing',
    'seal',
    'failure',
    'regenerated_from',
    'created_at',
    'created_by',
  ],
  ifPresent: ['extra'],
  refs: ({ scope }) => scopeRefs(scope),
};

export function bundleStore(deps: RecordStoreDeps): BundleStore {
  const options: RecordStoreOptions<StoredBundle> = {
    collection: BUNDLES,
    id: 'bundle_id',
    check: BUNDLE_ROW,
    facts: BUNDLE_FACTS,
    // A build that announces its seal keeps its lease.
    dueWhen: ({ status, sealing }) => status === 'REQUESTED' && sealing === null,
  };
  verifiesRows(deps, options);
  return (tenantId) => new BundleRecords(deps, options, tenantId);
}

/** Names of what a scope selects by, for facts. */
const scopeRefs = (scope: NonNullable<BundleQuery['scope']>): readonly string[] =>
  SCOPED_BY.flatMap((name) => (scope[name] === undefined ? [] : [`${name.replace('_id', '')}/${scope[name]}`]));

class BundleRecords extends RecordStore<StoredBundle, BundleEffect> implements TenantBundles {
  override async page({ scope = {}, ...query }: BundleQuery): Promise<Page<StoredBundle>> {
    const conditions = Object.entries(scope).flatMap(([name, id]) =>
      id === undefined ? [] : [{ [`scope.${name}`]: id }],
    );
    const [first] = scopeRefs(scope);
    return this.pageWhere(query, conditions, { named: first === undefined ? null : await this.naming([first]) });
  }

  async archives(sha256s: readonly string[]): Promise<readonly string[]> {
    const filter = { tenant_id: this.tenantId, 'seal.worm_blob_sha256': { $in: [...sha256s] } };
    const found: unknown[] = await this.documents.distinct('seal.worm_blob_sha256', filter);
    return found.map(String);
  }
}
