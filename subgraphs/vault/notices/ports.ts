import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery, Records } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { VaultEffect } from '../documents/index.js';
import type { NoticeAction, NoticeStatus } from './domain.js';
import type { HoldNotice } from './schema.js';

export type StoredNotice = Stored<
  HoldNotice,
  { readonly history: readonly StepLine<NoticeStatus, NoticeAction>[] },
  'overdue'
>;

/** What a list of notices is about: the hold, or the actor of the custodian. */
export type NoticesOf = { readonly hold_id: string } | { readonly custodian_id: string };

/** The notices of one tenant. */
export interface TenantNotices extends Records<StoredNotice, VaultEffect> {
  /** None is left out because of an edited or removed row. @throws INTEGRITY_FAILURE */
  pageOf(of: NoticesOf, query: ListQuery<StoredNotice>): Promise<Page<StoredNotice>>;
}

export type NoticeStore = (tenantId: TenantId) => TenantNotices;
