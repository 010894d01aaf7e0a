import type { TenantId } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { RowStore, type RowStoreDeps } from '../../../shared/records/row-store.js';
import type { AdminEffect } from '../parts.js';
import type { SigningKeyRecord, SigningKeyStore, TenantSigningKeys } from './ports.js';

export const SIGNING_KEY_COLLECTION = declareCollection(
  'signing_keys',
  [
    { tenant_id: 1, purpose: 1, activation: 1 },
    { unique: true, partialFilterExpression: { activation: { $exists: true } } },
  ],
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  PENDING_INDEX,
);

type Rows = RowStore<SigningKeyRecord, AdminEffect>;

export function signingKeyStore(deps: RowStoreDeps): SigningKeyStore {
  const rows: Rows = new RowStore(deps, { collection: SIGNING_KEY_COLLECTION, id: 'key_id', sparse: ['activation'] });
  return {
    insert: (key, pending) => rows.insert(key, pending),
    forTenant: (tenantId) => keysOfTenant(rows, tenantId),
    byId: (keyId) => rows.findOne({ _id: keyId }),
  };
}

function keysOfTenant(rows: Rows, tenantId: TenantId): TenantSigningKeys {
  const own = { tenant_id: tenantId };
  return {
    ...rows.reader(own),
    all: (limit) => rows.list({ limit: limit - 1, order: 'asc', where: {} }, own),
    async lastActivated(purpose) {
      const found = await rows.documents.findOne(
        { ...own, purpose, activation: { $exists: true } },
        { sort: { activation: -1 } },
      );
      return found && rows.rowOf(found);
    },
    superseded: (purpose, before) => rows.find({ ...own, purpose, status: 'ACTIVE', activation: { $lt: before } }),
    change: (keyId, { from, set, pending }) =>
      rows.updateUnique([own, { _id: keyId, status: from }], { $set: set }, pending),
  };
}
