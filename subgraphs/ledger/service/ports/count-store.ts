import type { BlockPlace } from '../../domain/count-blocks.js';
import type { AlikeEvents, CountedRow } from '../../domain/event-tally.js';

/** The kept tally of consecutive entries of a chain. */
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

/** What is counted of one tenant. */
export interface TenantCounts {
  blocks(sourceSystem: string): Promise<readonly CountBlock[]>;
  /** Keeping a block that is kept already changes nothing. */
  keep(sourceSystem: string, block: CountBlock): Promise<void>;
  drop(sourceSystem: string, blocks: readonly BlockPlace[]): Promise<void>;
  /** The first `limit` entries of a chain within both bounds, in sequence. */
  rows(sourceSystem: string, fromSeq: number, toSeq: number, limit: number): Promise<readonly CountedRow[]>;
  /** Counts events by their effective time straight from the entries, reserved partitions left out. */
  recount(window: { readonly fromMs: number; readonly toMs: number }): Promise<readonly AlikeEventsOfSource[]>;
  exceptions(window: TimeWindow): Promise<readonly ExceptionCount[]>;
  ingests(window: TimeWindow): Promise<readonly IngestCount[]>;
}

export type CountStore = (tenantId: string) => TenantCounts;
