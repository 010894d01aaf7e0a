import type { WormRecord } from '../../../../shared/worm/worm-store.js';
import type { LedgerRow } from '../../domain/ledger-row.js';

/** The last acknowledged entry of a chain. */
export interface Tail {
  readonly seq: number;
  readonly entryHash: string;
  readonly recordedAtMs: number;
}

/** What an answer and a comparison need of an entry. */
export type EntryKeys = Pick<
  LedgerRow,
  '_id' | 'event_id' | 'prev_hash' | 'entry_hash' | 'recorded_at' | 'worm_sha256' | 'fact_key' | 'duplicate_key'
>;

/**
 * What an append achieved. The first `written` rows are durable whatever the conflict; the row after them was refused:
 * SEQUENCE, because another appender took its place; DUPLICATE, because its envelope is there already.
 */
export interface AppendOutcome {
  readonly written: number;
  readonly conflict: 'SEQUENCE' | 'DUPLICATE' | null;
}

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

/** The ledger of one tenant: no method can reach another's rows. */
export interface TenantLedger {
  tail(sourceSystem: string): Promise<Tail | null>;
  /** Entries that state these facts, at most `limit`. */
  entriesByFact(sourceSystem: string, factKeys: readonly string[], limit: number): Promise<EntryKeys[]>;
  /** Appends in order, durably; nothing after the first refused row is written. */
  append(rows: readonly LedgerRow[]): Promise<AppendOutcome>;
  byEventId(eventId: string): Promise<LedgerRow | null>;
  /** Where it stands, without its record. */
  keysOf(eventId: string): Promise<EntryKeys | null>;
  /** By (effective time, event id); one more than `limit` where there is more. */
  list(query: EventQuery): Promise<LedgerRow[]>;
  /** Names of the tenant's chains, in order. */
  sourceSystems(): Promise<string[]>;
  /** The last row of a chain, without record and seed. */
  head(sourceSystem: string): Promise<EntryKeys | null>;
  /** The first `limit` rows of a chain from there on, in sequence, without record and seed. */
  keys(sourceSystem: string, fromSeq: number, limit: number): Promise<EntryKeys[]>;
  /** The first `limit` rows of a chain within both bounds, in sequence. */
  rows(sourceSystem: string, fromSeq: number, toSeq: number, limit: number): Promise<LedgerRow[]>;
  /** Record hashes of rows, in sequence. */
  wormHashes(sourceSystem: string, fromSeq: number, limit: number): Promise<WormHash[]>;
  /** The records at these places that still hash to their name, and are what their entries committed to. */
  records(sourceSystem: string, sequences: readonly number[]): Promise<WormRecord[]>;
  /** Up to which sequence the write-once copies are known to be complete. */
  copiedUpTo(sourceSystem: string): Promise<number>;
  markCopied(sourceSystem: string, seq: number): Promise<void>;
}

export interface LedgerStore {
  forTenant(tenantId: string): TenantLedger;
  /** Ids of all tenants that have a ledger, for background work. */
  tenantIds(): AsyncIterable<string>;
}
