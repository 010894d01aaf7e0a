import type { WormRecord } from '../../../../shared/worm/worm-store.js';
import type { LedgerRow } from '../domain/ledger-row.js';

/** The last acknowledged entry of a chain. */
export interface Tail {
  readonly seq: number;
  readonly entryHash: string;
  readonly recordedAtMs: number;
}

/** The members of an entry that answers and comparisons need. */
export type EntryKeys = Pick<
  LedgerRow,
  '_id' | 'event_id' | 'prev_hash' | 'entry_hash' | 'recorded_at' | 'worm_sha256' | 'fact_key' | 'duplicate_key'
>;

/**
 * The outcome of an append. The first `written` rows are durable in every case. `conflict` says why the row after them
 * was rejected: SEQUENCE if another appender took its place, DUPLICATE if its envelope exists. After UNKNOWN any of the
 * rows may be stored, now or later; appending the same events again settles it, because a place and an envelope are
 * unique.
 */
export type AppendOutcome =
  | { readonly written: number; readonly conflict: 'SEQUENCE' | 'DUPLICATE' | null }
  | { readonly written: 0; readonly conflict: 'UNKNOWN'; readonly cause: Error };

export interface EventQuery {
  readonly member_id?: string;
  readonly source_system?: string;
  readonly source_record_id?: string;
  readonly event_family?: string;
  readonly event_type?: string;
  readonly outcome?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly after?: { readonly atMs: number; readonly id: string };
  readonly limit: number;
  readonly ascending: boolean;
}

export interface WormHash {
  readonly seq: number;
  /** Null once the record is disposed of. */
  readonly worm_sha256: string | null;
}

/** The ledger of one tenant: no method reaches rows of another. */
export interface TenantLedger {
  tail(sourceSystem: string): Promise<Tail | null>;
  /** Returns at most `limit` entries that state these facts. */
  entriesByFact(sourceSystem: string, factKeys: readonly string[], limit: number): Promise<EntryKeys[]>;
  /** Appends in order, durably; writes nothing after the first rejected row. */
  append(rows: readonly LedgerRow[]): Promise<AppendOutcome>;
  byEventId(eventId: string): Promise<LedgerRow | null>;
  /** Returns the row without its record. */
  keysOf(eventId: string): Promise<EntryKeys | null>;
  /** Lists by (effective time, event id); returns one row more than `limit` if there are more. */
  list(query: EventQuery): Promise<LedgerRow[]>;
  /** Returns at most `limit` rows of these members at these times, in order of event ids. */
  ofMembersAt(memberIds: readonly string[], timesMs: readonly number[], limit: number): Promise<LedgerRow[]>;
  /** Returns the names of the tenant's chains, in order. */
  sourceSystems(): Promise<string[]>;
  /** Returns the last row of a chain, without record and seed. */
  head(sourceSystem: string): Promise<EntryKeys | null>;
  /** Returns the first `limit` rows of a chain from a sequence on, in order, without record and seed. */
  keys(sourceSystem: string, fromSeq: number, limit: number): Promise<EntryKeys[]>;
  /** Returns the first `limit` rows of a chain within both bounds, in sequence. */
  rows(sourceSystem: string, fromSeq: number, toSeq: number, limit: number): Promise<LedgerRow[]>;
  /** Returns all rows of a chain that state facts of these source records, in no order. */
  rowsOfRecords(sourceSystem: string, sourceRecordIds: readonly string[]): Promise<LedgerRow[]>;
  /** Returns the rows at these places, in no order. */
  rowsAt(sourceSystem: string, sequences: readonly number[]): Promise<LedgerRow[]>;
  /** Returns the record hashes of rows, in sequence. */
  wormHashes(sourceSystem: string, fromSeq: number, limit: number): Promise<WormHash[]>;
  /** Returns the records at these places that match their hash and their entry's commitment. */
  records(sourceSystem: string, sequences: readonly number[]): Promise<WormRecord[]>;
  /** Last sequence up to which the write-once copies are known to be complete. */
  copiedUpTo(sourceSystem: string): Promise<number>;
  markCopied(sourceSystem: string, seq: number): Promise<void>;
}

export interface LedgerStore {
  forTenant(tenantId: string): TenantLedger;
  /** Ids of all tenants with a ledger, for background work. */
  tenantIds(): AsyncIterable<string>;
}
