import type { TenantId } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { type RowDocument, RowStore, type RowStoreDeps } from '../../../shared/records/row-store.js';
import type { FlagRecord, FlagStore, FlagWrite, TenantFlags } from './ports.js';

export const FEATURE_FLAGS = declareCollection(
  'feature_flags',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1, key: 1 }],
  PENDING_INDEX,
);

/** Changes that a flag keeps. */
const HISTORY_ENTRIES = 100;

/** Variants and rules are JSON text: their names are free and their order counts, and no query reads them. */
const stored = ({ variants, targeting, ...rest }: FlagWrite['record']) => ({
  ...rest,
  variants_json: JSON.stringify(variants),
  targeting_json: JSON.stringify(targeting),
});

class FlagRows extends RowStore<FlagRecord> {
  constructor(deps: RowStoreDeps) {
    super(deps, { collection: FEATURE_FLAGS, id: 'flag_id', hidden: ['variants_json', 'targeting_json'] });
  }

  override documentOf(flag: FlagRecord, pending: readonly PendingEffect[]) {
    const { variants: _, targeting: __, ...document } = super.documentOf(flag, pending);
    const { variants_json, targeting_json } = stored(flag);
    return { ...document, variants_json, targeting_json };
  }

  override rowOf(document: RowDocument): FlagRecord {
    const { variants_json, targeting_json } = document;
    return {
      ...super.rowOf(document),
      variants: JSON.parse(variants_json),
      targeting: JSON.parse(targeting_json),
    };
  }
}

/** Opens the flags of a tenant; every filter starts with the tenant. */
export function featureFlagStore(deps: RowStoreDeps): FlagStore {
  const rows = new FlagRows(deps);
  return (tenantId) => flagsOf(rows, tenantId);
}

function flagsOf(rows: FlagRows, tenantId: TenantId): TenantFlags {
  const present = { tenant_id: tenantId, status: 'PRESENT' };
  const one = (key: string) => ({ _id: flagIdOf(tenantId, key), tenant_id: tenantId });
  return {
    get: (key) => rows.findOne(one(key)),
    page: (query) => rows.page(query, present),
    async all(limit) {
      const found = await rows.documents.find(present).sort({ key: 1 }).limit(limit).toArray();
      return found.map((document) => rows.rowOf(document));
    },
    count: () => rows.documents.countDocuments(present),
    async write({ record, change, pending }, revision) {
      const { key } = record;
      if (revision === null) {
        const flag = { ...record, flag_id: flagIdOf(tenantId, key), history: [change] };
        return (await rows.insert(flag, pending)) ? flag : null;
      }
      const history = { $each: [change], $slice: -HISTORY_ENTRIES };
      return rows.update([one(key), { revision }], { $set: stored(record), $push: { history } }, pending);
    },
  };
}

const flagIdOf = (tenantId: TenantId, key: string): string => `${tenantId}/${key}`;
