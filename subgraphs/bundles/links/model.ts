import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { STATES_INDEX } from '../../../shared/records/check-rows.js';
import { declareCollection } from '../../../shared/records/collections.js';
import {
  documentsOf,
  RecordStore,
  type RecordStoreDeps,
  type RecordStoreOptions,
} from '../../../shared/records/record-store.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { verifiesRows } from '../../../shared/records/verified-rows.js';
import type { LinkStore, StoredLink, TenantLinks } from './ports.js';

export const LINKS = declareCollection(
  'bundle_links',
  [{ tenant_id: 1, bundle_id: 1, created_at: -1, _id: -1 }],
  STATES_INDEX,
  PENDING_INDEX,
);

const bundleRef = (bundleId: string): string => `bundle/${bundleId}`;

type LinkForm = Required<Pick<RecordStoreOptions<StoredLink>, 'check' | 'facts'>>;

/** Links to bundles by tenant. */
export function linkStore(deps: RecordStoreDeps, { check, facts }: LinkForm): LinkStore {
  const options: RecordStoreOptions<StoredLink> = {
    collection: LINKS,
    id: 'link_id',
    check,
    facts: { ...facts, refs: ({ bundle_id }) => [bundleRef(bundle_id)] },
  };
  verifiesRows(deps, options);
  return {
    forTenant: (tenantId) => new LinkRecords(deps, options, tenantId),
    async tenantOf(_id) {
      const found = await documentsOf(deps.db, LINKS).findOne({ _id }, { projection: { tenant_id: 1 } });
      return found?.tenant_id ?? null;
    },
  };
}

class LinkRecords extends RecordStore<StoredLink> implements TenantLinks {
  async pageOf(bundleId: string, query: ListQuery<StoredLink>): Promise<Page<StoredLink>> {
    return this.pageWhere(query, [{ bundle_id: bundleId }], { named: await this.naming([bundleRef(bundleId)]) });
  }
}
