import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { MemberChange } from './member-store.js';

export interface KeptChange extends MemberChange {
  readonly change_id: string;
}

/** What became of members, beside their records. */
export interface TenantChanges {
  /** Keeping it again changes nothing. */
  keep(changeId: string, change: MemberChange): Promise<void>;
  /** Up to `limit + 1` changes in order. */
  list(memberId: string, query: ListWindow): Promise<readonly KeptChange[]>;
}

export type ChangeStore = (tenantId: TenantId) => TenantChanges;
