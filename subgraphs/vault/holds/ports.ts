import type { HeldKind, HoldStatus } from '../../../shared/contracts/holds.js';
import type { ChainHead } from '../../../shared/contracts/ledger-feed.js';
import type { ListWindow } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery, Records } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { VaultEffect } from '../documents/index.js';
import type { HoldAction } from './domain/states.js';
import type { LegalHold } from './schema.js';

/** Progress of the listing; the hold protects from the start. */
export interface HoldListing {
  /** Position in each chain. */
  readonly heads: readonly ChainHead[];
  /** Position in the documents; null at the start. */
  readonly documents_cursor: string | null;
  readonly documents_started_at: Date | null;
  /** Time at which it last reached the end of both, or null. */
  readonly current_at: Date | null;
  /** Members listed: those of the scope, with all ids at the start of the listing. Absent before the first run. */
  readonly member_ids?: readonly string[];
}

export const NOTHING_LISTED: HoldListing = {
  heads: [],
  documents_cursor: null,
  documents_started_at: null,
  current_at: null,
};

interface OwnMembers {
  /** False until every deletion that passed before this hold has ended. */
  readonly settled: boolean;
  readonly listing: HoldListing;
  readonly history: readonly StepLine<HoldStatus, HoldAction>[];
}

export type StoredHold = Stored<LegalHold, OwnMembers, 'counts' | 'listed_at'>;

/** One listed record of a hold. */
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

/** The legal holds of one tenant. */
export interface TenantHolds extends Records<StoredHold, VaultEffect> {
  /** Pages the holds with this member in their scope. */
  pageNaming(memberId: string, query: ListQuery<StoredHold>): Promise<Page<StoredHold>>;
  /** Returns every ACTIVE hold without its history, unsettled ones included, oldest first. */
  active(): Promise<readonly StoredHold[]>;
  markSettled(holdId: string, revision: number): Promise<void>;
  /** Empties the listing except for records with a refused deletion. */
  unlist(holdId: string): Promise<void>;
  saveListing(holdId: string, revision: number, listing: HoldListing): Promise<void>;
  /** Lists subjects; listed ones stay unchanged. */
  addToListing(
    holdId: string,
    subjects: readonly { readonly kind: HeldKind; readonly id: string }[],
    at: Date,
  ): Promise<void>;
  /** Counts a refused deletion of each subject under each of its holds; lists unlisted ones. */
  refuse(
    refused: readonly { readonly kind: HeldKind; readonly id: string; readonly hold_ids: readonly string[] }[],
    at: Date,
  ): Promise<void>;
  tombstones(holdId: string, query: TombstoneQuery): Promise<readonly Tombstone[]>;
  counts(holdIds: readonly string[]): Promise<ReadonlyMap<string, HoldCounts>>;
}

export interface HoldStore {
  forTenant(tenantId: TenantId): TenantHolds;
  /** Returns the tenants with an ACTIVE hold. */
  tenantIds(): Promise<readonly TenantId[]>;
}
