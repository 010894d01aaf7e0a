import type { Fact, FactKind } from '../../../shared/facts/fact.js';
import type { FactQuestion } from '../../../shared/facts/facts.js';
import type { SegmentSumState } from './domain/seal-manifest.js';

/** An entry's header and its record's hash, for reconciliation. */
export interface EntryHeader {
  readonly seq: number;
  readonly event_id: string;
  readonly commit: string;
  readonly fields: string;
  readonly member_tag: string | null;
  readonly prev_hash: string;
  readonly entry_hash: string;
  readonly recorded_at: Date;
  /** Null once the record is disposed of. */
  readonly worm_sha256: string | null;
}

/** Totals of a walk over the write-once store; each finding also has its exception. */
export interface ScrubCounts {
  readonly records: number;
  readonly blobs: number;
  readonly bytes: number;
  /** Bytes that differ from their hash, and segments that differ from their seal. */
  readonly damaged: number;
  /** Records that no entry, blob or checkpoint explains; they are left as they are (evidence.md section 3). */
  readonly unexplained: number;
}

export interface ScrubPlace {
  readonly phase: 'SEGMENTS' | 'BLOBS';
  /** The current segment; null before the first. */
  readonly segment: string | null;
  /** The last hash read in the segment or among the blobs. */
  readonly after: string | null;
  readonly sum: SegmentSumState | null;
}

/** Progress of the walk over one tenant's write-once store. One document, so that a crash repeats at most one part. */
export interface ScrubRow {
  /** Version of the state: of two concurrent saves, one is rejected. */
  readonly version: number;
  /** 1, 2, 3 … */
  readonly cycle: number;
  readonly cycle_started_at: Date;
  readonly planned_bytes: number;
  /** Null between cycles. */
  readonly place: ScrubPlace | null;
  readonly counts: ScrubCounts;
  /** The last complete cycle. */
  readonly finished: (ScrubCounts & { readonly started_at: Date; readonly finished_at: Date }) | null;
  /** Start of this tenant's first cycle: the age of everything that no cycle has read. */
  readonly first_started_at: Date;
}

/** Progress of reconciliation in one chain. */
export interface ReconcileRow {
  /** The first sequence that is not compared yet. */
  readonly next_seq: number;
  /** entry_hash before it; null if unknown. */
  readonly prev_hash: string | null;
  readonly pass_started_at: Date;
  /** When the last complete pass reached the end of the chain; null for never. */
  readonly passed_at: Date | null;
  /** Missing copies that were restored. */
  readonly repaired: number;
  /** Where the chain ends too early, as this pass has reported; null for nowhere. */
  readonly cut_at: number | null;
}

export interface IntegritySums {
  readonly scrub: ScrubRow | null;
  readonly reconciled: readonly (ReconcileRow & { readonly source_system: string })[];
}

/** What the row of an event says of its record. */
export interface NamedRecord {
  /** Null once the record is disposed of. */
  readonly worm_sha256: string | null;
  readonly commit: string | undefined;
}

/** Reads and progress of the background checks of one tenant. */
export interface TenantIntegrity {
  /** Returns the first `limit` headers of a chain from a sequence on, in order. */
  headers(sourceSystem: string, fromSeq: number, limit: number): Promise<readonly EntryHeader[]>;
  /** Returns what the rows of these events say of their records, by event id. */
  recordNames(eventIds: readonly string[]): Promise<ReadonlyMap<string, NamedRecord>>;
  /** Returns the disposal that each row of this chain names, by sequence. */
  disposalIds(sourceSystem: string, sequences: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /**
   * Returns the keys, as texts, of up to `limit` rows that no walk along a chain reaches: the sequence is no number from 1
   * on, or, for null, the name of the chain is no text.
   */
  strayKeys(sourceSystem: string | null, limit: number): Promise<readonly string[]>;
  scrub(): Promise<ScrubRow | null>;
  /** Returns false if the row has another version: another process continued. */
  saveScrub(row: ScrubRow): Promise<boolean>;
  reconciled(sourceSystem: string): Promise<ReconcileRow | null>;
  saveReconciled(sourceSystem: string, row: ReconcileRow): Promise<void>;
  /** Returns all totals, for the dashboard. */
  sums(): Promise<IntegritySums>;
}

/** The facts of one subject; `damaged` when a row of it does not match its hashes. */
interface ExaminedSubject {
  readonly known: Fact | null;
  readonly newer: readonly Fact[];
  readonly damaged: object | null;
}

/** Subjects of one kind, in order, and the unique keys of their facts. */
export interface FactKeyPage {
  readonly ids: readonly string[];
  /** Null for one subject with more facts than a page holds. */
  readonly keys: ReadonlySet<string> | null;
  /** The last subject; null where the kind has no further one. */
  readonly end: string | null;
}

/** The facts of one tenant, for the verification of the rows that project them. */
export interface StateFacts {
  /**
   * Answers in the order asked; see Facts.read. Damage is part of the answer.
   *
   * @param keys of all facts of these subjects, if they have been read.
   */
  examine(questions: readonly FactQuestion[], keys?: ReadonlySet<string> | null): Promise<readonly ExaminedSubject[]>;
  /** About `limit` subjects of a kind after `after`, in order, with the keys of their facts. */
  keys(kind: FactKind, after: string | null, limit: number): Promise<FactKeyPage>;
  /** Up to `limit` subjects of a kind after `after`, in order. */
  subjects(kind: FactKind, after: string | null, limit: number): Promise<readonly string[]>;
}

export type IntegrityStore = (tenantId: string) => TenantIntegrity;
