import { ANY_TENANT, OPERATOR_TENANT } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { RowStore, type RowStoreDeps } from '../../../shared/records/row-store.js';
import type { TenantRecord, Tenants } from './ports.js';

/** `_id` is the tenant_id. */
export const TENANT_COLLECTION = declareCollection(
  'tenants',
  [{ log_id: 1 }, { unique: true }],
  [{ created_at: -1, _id: -1 }],
  PENDING_INDEX,
);

/** @param committed called after each commit. */
export function tenantStore(deps: RowStoreDeps, committed: (tenant: TenantRecord) => void): Tenants {
  const rows = new RowStore<TenantRecord>(deps, { collection: TENANT_COLLECTION, id: 'tenant_id', committed });
  return {
    insert: (tenant, pending) => rows.insert({ rate_limit_per_minute: null, ...tenant }, pending),
    within(reach) {
      // Separate conditions, so that a caller's own filter cannot replace them.
      const visible = [{ _id: { $ne: OPERATOR_TENANT } }, ...(reach === ANY_TENANT ? [] : [{ _id: reach }])];
      return {
        ...rows.reader(...visible),
        change: (tenantId, { from, set, pending }) =>
          rows.update([...visible, { _id: tenantId, status: from }], { $set: set }, pending),
      };
    },
    async summary(tenantId) {
      const found = await rows.findOne({ _id: tenantId });
      if (found === null) return undefined;
      const { tenant_id, log_id, status, rate_limit_per_minute: limit } = found;
      return { tenant_id, log_id, status, ...(limit == null ? {} : { rate_limit_per_minute: limit }) };
    },
  };
}
