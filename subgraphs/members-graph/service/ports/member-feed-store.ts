import type { ChainHead } from '../../../../shared/contracts/ledger-feed.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';

/** How far the ledger has been read for the directory, by tenant and chain. */
export interface FeedCursors {
  of(tenantId: TenantId): Promise<readonly ChainHead[]>;
  /** Never moves one back. */
  advance(tenantId: TenantId, heads: readonly ChainHead[]): Promise<void>;
}

/** A member that events name and the directory does not have, while an exception says so. */
export interface UnknownMember {
  readonly member_id: string;
  readonly event_id: string;
}

export interface TenantUnknowns {
  /** Those of these members that are known to be unknown. */
  among(memberIds: readonly string[]): Promise<ReadonlySet<string>>;
  add(unknown: UnknownMember): Promise<void>;
  remove(memberId: string): Promise<void>;
  /** Up to `limit` of them that come after this one, by member_id. */
  after(memberId: string, limit: number): Promise<readonly string[]>;
}

export type UnknownStore = (tenantId: TenantId) => TenantUnknowns;
