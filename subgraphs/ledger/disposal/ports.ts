import type { DisposalCursor, DisposalOrder } from '../../../shared/contracts/disposal.js';
import type { LedgerRow } from '../append/domain/index.js';

/** An entry with a record, and the members that a removal needs. */
export type KeptRow = Pick<LedgerRow, '_id' | 'event_id' | 'query' | 'record' | 'worm_sha256' | 'from_raw'>;

export interface AgedQuery {
  /** Exclusive upper bound of the effective time. */
  readonly beforeMs: number;
  readonly after: DisposalCursor | null;
  readonly limit: number;
}

export interface MembersQuery {
  readonly memberIds: readonly string[];
  readonly after: DisposalCursor | null;
  readonly limit: number;
}

/** A row to strip of its content, and the hashes that keep it findable. */
export interface StrippedRow {
  readonly place: LedgerRow['_id'];
  /** `source_record_id` of the `_system` entry that accounts for it. */
  readonly disposal_id: string;
  readonly disposed_of: readonly string[];
  /** Keys of the logs of the state map that hold it. */
  readonly map_logs: readonly string[];
}

/** Reads and removals in one tenant's ledger. */
export interface TenantDisposals {
  /** Lists by (effective time, event id), oldest first; without reserved partitions. */
  aged(query: AgedQuery): Promise<readonly LedgerRow[]>;
  /** Lists in the same order. */
  ofMembers(query: MembersQuery): Promise<readonly LedgerRow[]>;
  /** Returns the rows of these events, with or without a record. */
  rowsOf(eventIds: readonly string[]): Promise<readonly LedgerRow[]>;
  /** Returns those of these events that have a record. */
  kept(eventIds: readonly string[]): Promise<readonly KeptRow[]>;
  /** Returns those of these events that have no record; only a fact says that they are disposed of. */
  stripped(eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Removes everything optional from these rows, row by row; a disposed row stays as it is. */
  strip(rows: readonly StrippedRow[]): Promise<void>;
  /** Removes the hashes of these events from the answers to their raw messages. */
  forgetHashes(rawSha256s: readonly string[], eventIds: readonly string[]): Promise<void>;
  /** Returns the events that bodies of this hash contained, repetitions included. */
  eventsOfRaw(rawSha256: string): AsyncIterable<readonly string[]>;
  /** Returns those of these bodies that an unresolved exception names. */
  openExceptionsAbout(rawSha256s: readonly string[]): Promise<readonly string[]>;
}

/** The facts of one tenant's disposals. */
export interface TenantDisposalFacts {
  /** Appends the facts of an order, in one batch. Returns the disposal that each event is disposed of by. */
  commit(order: DisposalOrder): Promise<ReadonlyMap<string, string>>;
  /** Returns the disposal of each of these events that a fact calls disposed. */
  disposalsOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export type DisposalStore = (tenantId: string) => TenantDisposals;
