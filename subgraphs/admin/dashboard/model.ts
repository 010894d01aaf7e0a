import type { Db } from 'mongodb';
import type { NamedCount } from '../../../shared/contracts/ledger-counters.js';
import { OPERATOR_TENANT } from '../../../shared/ids/tenant.js';
import type { DeclaredCollection } from '../../../shared/records/collections.js';
import { apiKeyStatusAt, type KeyLifetime } from '../access/domain/index.js';
import { ACTOR_COLLECTION, API_KEY_COLLECTION } from '../access/index.js';
import { FEATURE_FLAGS } from '../flags/index.js';
import { LEADS } from '../leads/index.js';
import { TENANT_COLLECTION } from '../tenants/index.js';
import type { AreaCounts } from './ports.js';

/** Counts rows of the areas of this subgraph. */
export function areaCounts(db: Db): AreaCounts {
  const grouped = async ({ name }: DeclaredCollection, match: object, by: unknown): Promise<NamedCount[]> => {
    const stages = [{ $match: match }, { $group: { _id: by, count: { $sum: 1 } } }, { $sort: { _id: 1 } }];
    const groups = await db.collection(name).aggregate<{ _id: string; count: number }>(stages).toArray();
    return groups.map(({ _id, count }) => ({ name: _id, count }));
  };
  return {
    async apiKeys(tenantId, nowMs) {
      const lifetimes = db
        .collection<KeyLifetime & { readonly tenant_id: string }>(API_KEY_COLLECTION.name)
        .find({ tenant_id: tenantId }, { projection: { _id: 0, revoked_at: 1, expires_at: 1, grace_ends_at: 1 } });
      const counts = new Map<string, number>();
      for await (const { revoked_at = null, expires_at = null, grace_ends_at = null } of lifetimes) {
        const status = apiKeyStatusAt({ revoked_at, expires_at, grace_ends_at }, nowMs);
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
      return [...counts].sort().map(([name, count]) => ({ name, count }));
    },
    actors: (tenantId) => grouped(ACTOR_COLLECTION, { tenant_id: tenantId }, '$status'),
    featureFlags: (tenantId) =>
      grouped(
        FEATURE_FLAGS,
        { tenant_id: tenantId, status: 'PRESENT' },
        { $cond: ['$enabled', 'ENABLED', 'DISABLED'] },
      ),
    async leads(tenantId, { fromMs, toMs }) {
      const bounds = {
        ...(fromMs === undefined ? {} : { $gte: new Date(fromMs) }),
        ...(toMs === undefined ? {} : { $lt: new Date(toMs) }),
      };
      const match = { tenant_id: tenantId, ...(Object.keys(bounds).length > 0 ? { created_at: bounds } : {}) };
      return {
        by_status: await grouped(LEADS, match, '$status'),
        by_type: await grouped(LEADS, match, '$lead_type'),
      };
    },
    tenants: () => grouped(TENANT_COLLECTION, { _id: { $ne: OPERATOR_TENANT } }, '$status'),
  };
}
