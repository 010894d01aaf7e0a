import type { SegmentSumState } from '../../domain/seal-manifest.js';

/** The header of an entry and its record's name: what reconciliation compares. */
export interface EntryHeader {
  readonly seq: number;
  readonly event_id: string;
  readonly commit: string;
  readonly fields: string;
  readonly prev_hash: string;
  readonly entry_hash: string;
  readonly recorded_at: Date;
  /** Null once the record is disposed of. */
  readonly worm_sha256: string | null;
}

/** What a walk over the write-once store found; each finding has its exception as well. */
export interface ScrubCounts {
  readonly records: number;
  readonly blobs: number;
  readonly bytes: number;
  /** Bytes that do not hash to their name, and segments that are not what their seal says. */
  readonly damaged: number;
  /** Records that no entry, blob or checkpoint explains; left as they are (evidence.md section 3). */
  readonly unexplained: number;
}

export interface ScrubPlace {
  readonly phase: 'SEGMENTS' | 'BLOBS';
  /** The segment being walked; null before the first. */
  readonly segment: string | null;
  /** The last hash looked at in the segment, or among the blobs. */
  readonly after: string | null;
  readonly sum: SegmentSumState | null;
}

/** Where the walk over one tenant's write-once store stands; one document, so that a crash repeats a part at most. */
export interface ScrubRow {
  /** Of two that go on from one state, one is refused. */
  readonly version: number;
  /** 1, 2, 3 … */
  readonly cycle: number;
  readonly cycle_started_at: Date;
  readonly planned_bytes: number;
  /** Null while no cycle is under way. */
  readonly place: ScrubPlace | null;
  readonly counts: ScrubCounts;
  /** The last cycle that came to its end. */
  readonly finished: (ScrubCounts & { readonly started_at: Date; readonly finished_at: Date }) | null;
  /** When this tenant's first cycle began: the age of what no cycle has reached. */
  readonly first_started_at: Date;
}

/** Where reconciliation stands in one chain. */
export interface ReconcileRow {
  /** The first sequence that is not compared yet. */
  readonly next_seq: number;
  /** entry_hash before it; null where it is not known. */
  readonly prev_hash: string | null;
  readonly pass_started_at: Date;
  /** When the last whole pass reached the end of the chain; null for never. */
  readonly passed_at: Date | null;
  /** Copies that were missing and were made. */
  readonly repaired: number;
  /** Where the chain ends too early, as this pass has told; null for nowhere. */
  readonly cut_at: number | null;
}

export interface IntegritySums {
  readonly scrub: ScrubRow | null;
  readonly reconciled: readonly (ReconcileRow & { readonly source_system: string })[];
}

/** What the upkeep of one tenant's evidence reads and keeps. */
export interface TenantIntegrity {
  /** The first `limit` headers of a chain from there on, in sequence. */
  headers(sourceSystem: string, fromSeq: number, limit: number): Promise<readonly EntryHeader[]>;
  /** Record names of these events, by event id; null where the record is disposed of. */
  recordNames(eventIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** By sequence: the disposal that a row of this chain names as what took its content away. */
  disposalIds(sourceSystem: string, sequences: readonly number[]): Promise<ReadonlyMap<number, string>>;
  scrub(): Promise<ScrubRow | null>;
  /** False when the row has another version: another process went on. */
  saveScrub(row: ScrubRow): Promise<boolean>;
  reconciled(sourceSystem: string): Promise<ReconcileRow | null>;
  saveReconciled(sourceSystem: string, row: ReconcileRow): Promise<void>;
  /** Everything kept, for the dashboard. */
  sums(): Promise<IntegritySums>;
}

export type IntegrityStore = (tenantId: string) => TenantIntegrity;
