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

/** The name of a listed record. */
export type ListedRecord = Pick<Tombstone, 'kind' | 'id'>;

/** A hold that may have set flags in the bucket. */
export interface FlagRow {
  readonly hold_id: string;
  readonly tenant_id: TenantId;
  /** True if nothing was left to lift in the last run. */
  readonly isLifted: boolean;
}

/** The holds that may have set flags. A hold has its row before its first flag, and until its last one is lifted. */
export interface FlagRows {
  tenantIds(): Promise<readonly TenantId[]>;
  of(tenantId: TenantId): Promise<readonly FlagRow[]>;
  all(): Promise<readonly FlagRow[]>;
  begin(tenantId: TenantId, holdId: string): Promise<void>;
  markLifted(holdId: string): Promise<void>;
  end(holdId: string): Promise<void>;
}

/** The flags of the records that one active hold lists. */
export interface ListedFlags {
  readonly due: number;
  /** Time of the listing of the oldest due record. */
  readonly oldest: Date | null;
  readonly missing: number;
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
  /** Returns listed records with objects that have no flag, and those that had no object at the last attempt before `again`. */
  unflagged(holdId: string, again: Date, limit: number): Promise<readonly ListedRecord[]>;
  /** Notes that the objects of listed records have their flags, or that there is no object. */
  markFlagged(
    holdId: string,
    records: readonly ListedRecord[],
    outcome: { readonly missing: boolean; readonly at: Date },
  ): Promise<void>;
  tombstones(holdId: string, query: TombstoneQuery): Promise<readonly Tombstone[]>;
  counts(holdIds: readonly string[]): Promise<ReadonlyMap<string, HoldCounts>>;
}

export interface HoldStore {
  forTenant(tenantId: TenantId): TenantHolds;
  /** Returns the tenants with an ACTIVE hold. */
  tenantIds(): Promise<readonly TenantId[]>;
  /** Returns the state of the flags of every ACTIVE hold, for metrics. */
  listedFlags(): Promise<readonly ListedFlags[]>;
  /** Counts the ACTIVE ones of these holds, for metrics. */
  activeAmong(holdIds: readonly string[]): Promise<number>;
}
