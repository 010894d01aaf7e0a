import type { BlockPlace } from './domain/blocks.js';
import type { AlikeEvents, CountedRow } from './domain/event-tally.js';

/** The stored tally of consecutive entries of a chain. */
export interface CountBlock extends BlockPlace {
  readonly tally: string;
}

/** Bounds of time in ms: from ≤ t < to. */
export interface TimeWindow {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export interface ExceptionCount {
  readonly kind: string;
  readonly status: string;
  readonly severity: string;
  readonly count: number;
}

export interface IngestCount {
  readonly format: string;
  readonly count: number;
  readonly transactions: number;
  readonly accepted: number;
  readonly duplicated: number;
  readonly rejected: number;
}

export interface AlikeEventsOfSource extends AlikeEvents {
  readonly source_system: string;
}

/** Counts of one tenant. */
export interface TenantCounts {
  blocks(sourceSystem: string): Promise<readonly CountBlock[]>;
  /** Stores a block; storing it again changes nothing. */
  keep(sourceSystem: string, block: CountBlock): Promise<void>;
  drop(sourceSystem: string, blocks: readonly BlockPlace[]): Promise<void>;
  /** Returns the first `limit` entries of a chain within both bounds, in sequence. */
  rows(sourceSystem: string, fromSeq: number, toSeq: number, limit: number): Promise<readonly CountedRow[]>;
  /** Counts events by effective time directly from the entries, without reserved partitions. */
  recount(window: { readonly fromMs: number; readonly toMs: number }): Promise<readonly AlikeEventsOfSource[]>;
  exceptions(window: TimeWindow): Promise<readonly ExceptionCount[]>;
  ingests(window: TimeWindow): Promise<readonly IngestCount[]>;
}

export type CountStore = (tenantId: string) => TenantCounts;
