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
import type { VaultEffect } from '../documents/index.js';
import type { NoticeStore, NoticesOf, StoredNotice, TenantNotices } from './ports.js';
import { NOTICE_FACTS, NOTICE_ROW } from './schema.js';

export const NOTICES = declareCollection(
  'hold_notices',
  [{ tenant_id: 1, hold_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, custodian_id: 1, created_at: -1, _id: -1 }],
  STATES_INDEX,
  PENDING_INDEX,
);

const refOf = (of: NoticesOf): string => ('hold_id' in of ? `hold/${of.hold_id}` : `actor/${of.custodian_id}`);

/** Notices to custodians by tenant. */
export function noticeRecords(deps: RecordStoreDeps): NoticeStore {
  const options: RecordStoreOptions<StoredNotice, VaultEffect> = {
    collection: NOTICES,
    id: 'notice_id',
    check: NOTICE_ROW,
    facts: {
      ...NOTICE_FACTS,
      refs: ({ hold_id, custodian_id }) => [
        refOf({ hold_id }),
        ...(custodian_id === null ? [] : [refOf({ custodian_id })]),
      ],
    },
  };
  verifiesRows(deps, options);
  return {
    forTenant: (tenantId) => new NoticeRecords(deps, options, tenantId),
    async tenantOf(_id) {
      const found = await documentsOf(deps.db, NOTICES).findOne({ _id }, { projection: { tenant_id: 1 } });
      return found?.tenant_id ?? null;
    },
  };
}

class NoticeRecords extends RecordStore<StoredNotice, VaultEffect> implements TenantNotices {
  async pageOf(of: NoticesOf, query: ListQuery<StoredNotice>): Promise<Page<StoredNotice>> {
    return this.pageWhere(query, [of], { named: await this.naming([refOf(of)]) });
  }
}
