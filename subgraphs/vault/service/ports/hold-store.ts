import type { HeldKind, HoldStatus } from '../../../../shared/contracts/holds.js';
import type { ChainHead } from '../../../../shared/contracts/ledger-feed.js';
import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { HoldScope } from '../../domain/hold-scope.js';
import type { AuthorityKind, HoldAction } from '../../domain/hold-states.js';
import type { VaultEffect } from './vault-effects.js';

/** Under what a hold was released. */
export interface ReleaseAuthority {
  readonly kind: AuthorityKind;
  readonly reference: string;
  readonly document_id?: string;
}

export interface HoldRelease {
  readonly authority: ReleaseAuthority;
  readonly reason: string;
  readonly released_by: string;
  readonly released_at: Date;
}

export interface HoldChange {
  readonly revision: number;
  readonly action: HoldAction;
  readonly from: HoldStatus | null;
  readonly to: HoldStatus;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  /** Of the request that made the change: the same request run again finds it done. */
  readonly work_id: string | null;
}

/** How far the listing of what a hold covers has come; the hold counts from the start all the same. */
export interface HoldListing {
  /** Entries of each chain that were looked at. */
  readonly heads: readonly ChainHead[];
  /** Documents that were looked at; null from the beginning. */
  readonly documents_cursor: string | null;
  readonly documents_started_at: Date | null;
  /** When it last reached the end of both; null for never. */
  readonly current_at: Date | null;
  /** Whom it has listed: the members of the scope under every id that they had when it began. Absent before the first look. */
  readonly member_ids?: readonly string[];
}

export const NOTHING_LISTED: HoldListing = {
  heads: [],
  documents_cursor: null,
  documents_started_at: null,
  current_at: null,
};

export interface StoredHold {
  readonly hold_id: string;
  readonly tenant_id: TenantId;
  readonly name: string;
  readonly matter_id: string | null;
  readonly scope: HoldScope;
  readonly reason: string;
  readonly authority: string | null;
  readonly status: HoldStatus;
  readonly release: HoldRelease | null;
  /** False until every deletion that was let through before this hold has come to its end. */
  readonly settled: boolean;
  readonly listing: HoldListing;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  readonly history: readonly HoldChange[];
}

export interface HoldQuery extends ListWindow {
  readonly status?: HoldStatus | undefined;
  readonly matter_id?: string | undefined;
  readonly name?: string | undefined;
  /** Those whose scope names the member. */
  readonly member_id?: string | undefined;
}

export interface HoldWrite {
  readonly hold: Omit<StoredHold, 'history' | 'listing'>;
  readonly change: HoldChange;
  readonly pending: readonly VaultEffect[];
}

/** One thing that a hold covers, as its listing has it. */
export interface Tombstone {
  readonly hold_id: string;
  readonly kind: HeldKind;
  readonly id: string;
  readonly held_at: Date;
  /** Deletions that the hold has stopped. */
  readonly refused: number;
  readonly refused_at: Date | null;
}

export interface TombstoneQuery extends ListWindow {
  readonly kind?: HeldKind | undefined;
}

export interface HoldCounts {
  readonly events: number;
  readonly documents: number;
  readonly refused: number;
}

/** Legal holds of one tenant. */
export interface TenantHolds {
  get(holdId: string): Promise<StoredHold | null>;
  list(query: HoldQuery): Promise<readonly StoredHold[]>;
  among(holdIds: readonly string[]): Promise<readonly StoredHold[]>;
  /** Every ACTIVE one, the unsettled included, oldest first. */
  active(): Promise<readonly StoredHold[]>;
  insert(write: HoldWrite): Promise<StoredHold | null>;
  replace(write: HoldWrite, revision: number): Promise<StoredHold | null>;
  relay(write: HoldWrite): Promise<void>;
  markSettled(holdId: string, revision: number): Promise<void>;
  /** Empties the list, but for what a deletion was refused for. */
  unlist(holdId: string): Promise<void>;
  saveListing(holdId: string, revision: number, listing: HoldListing): Promise<void>;
  /** Lists subjects; one that is listed stays as it is. */
  bury(holdId: string, subjects: readonly { readonly kind: HeldKind; readonly id: string }[], at: Date): Promise<void>;
  /** Counts a refused deletion of each subject under each of its holds; lists what is not listed yet. */
  refuse(
    refused: readonly { readonly kind: HeldKind; readonly id: string; readonly hold_ids: readonly string[] }[],
    at: Date,
  ): Promise<void>;
  tombstones(holdId: string, query: TombstoneQuery): Promise<readonly Tombstone[]>;
  counts(holdIds: readonly string[]): Promise<ReadonlyMap<string, HoldCounts>>;
}

export interface HoldStore {
  forTenant(tenantId: TenantId): TenantHolds;
  /** Tenants that have an ACTIVE hold. */
  tenantIds(): Promise<readonly TenantId[]>;
}
