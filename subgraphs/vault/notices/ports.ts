import type { Grantor } from '../../../shared/contracts/tenants.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery, Records } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { VaultEffect } from '../documents/index.js';
import type { NoticeAction, NoticeStatus } from './domain.js';
import type { HoldNotice } from './schema.js';

interface OwnMembers {
  /** SHA-256 of the token of the newest link, lower-case hex. */
  readonly link_sha256: string | null;
  /** The key or person that gives the link its rights. */
  readonly link_grantor: Grantor | null;
  readonly history: readonly StepLine<NoticeStatus, NoticeAction>[];
}

export type StoredNotice = Stored<HoldNotice, OwnMembers, 'overdue'>;

/** What a list of notices is about: the hold, or the actor of the custodian. */
export type NoticesOf = { readonly hold_id: string } | { readonly custodian_id: string };

/** The notices of one tenant. */
export interface TenantNotices extends Records<StoredNotice, VaultEffect> {
  /** None is left out because of an edited or removed row. @throws INTEGRITY_FAILURE */
  pageOf(of: NoticesOf, query: ListQuery<StoredNotice>): Promise<Page<StoredNotice>>;
}

export interface NoticeStore {
  forTenant(tenantId: TenantId): TenantNotices;
  /** The look-up of a token, before its tenant is known; the row is not proven. */
  tenantOf(noticeId: string): Promise<TenantId | null>;
}
