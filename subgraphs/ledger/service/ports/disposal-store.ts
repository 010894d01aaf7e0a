import type { DisposalCursor } from '../../../../shared/contracts/disposal.js';
import type { LedgerRow } from '../../domain/ledger-row.js';

/** An entry whose record is still there, as far as its age and the holds over it go. */
export type AgedRow = Pick<
  LedgerRow,
  '_id' | 'event_id' | 'recorded_at' | 'query' | 'record' | 'worm_sha256' | 'from_raw'
>;

export interface AgedQuery {
  /** Happened before this. */
  readonly beforeMs: number;
  readonly after: DisposalCursor | null;
  readonly limit: number;
}

export interface MembersQuery {
  readonly memberIds: readonly string[];
  readonly after: DisposalCursor | null;
  readonly limit: number;
}

/** A row whose content goes, and what stays to find it by. */
export interface StrippedRow {
  readonly place: LedgerRow['_id'];
  readonly disposed_of: readonly string[];
}

/** What disposal reads and takes away in one tenant's ledger. */
export interface TenantDisposals {
  /** By (effective time, event id), oldest first; without reserved partitions. */
  aged(query: AgedQuery): Promise<readonly AgedRow[]>;
  /** In the same order. */
  ofMembers(query: MembersQuery): Promise<readonly AgedRow[]>;
  /** Those of these events whose record is there. */
  kept(eventIds: readonly string[]): Promise<readonly AgedRow[]>;
  /** Which of these events stand in the ledger with their record gone. */
  disposed(eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Takes away everything optional of these rows, row by row; a row that is bare already stays as it is. */
  strip(rows: readonly StrippedRow[], disposalId: string): Promise<void>;
  /** Takes the hashes of these events out of the answers that their raw messages were given. */
  forgetHashes(rawSha256s: readonly string[], eventIds: readonly string[]): Promise<void>;
  /** Events that bodies of this hash gave, or repeated. */
  eventsOfRaw(rawSha256: string): AsyncIterable<readonly string[]>;
  /** Those of these bodies that an exception which is not resolved is about. */
  openExceptionsAbout(rawSha256s: readonly string[]): Promise<readonly string[]>;
}

export type DisposalStore = (tenantId: string) => TenantDisposals;
