import type { TenantId } from '../ids/tenant.js';

export interface NamedCount {
  /** Null: what does not say. */
  readonly name: string | null;
  readonly count: number;
}

export interface DayCount {
  readonly date: string;
  readonly count: number;
}

/** Events of the callers' own; reserved partitions are left out. Names are in lower case, the most frequent first. */
export interface EventCounts {
  readonly total: number;
  readonly by_day: readonly DayCount[];
  readonly by_family: readonly NamedCount[];
  readonly by_type: readonly NamedCount[];
  readonly by_outcome: readonly NamedCount[];
  readonly by_source_system: readonly NamedCount[];
  /** A list was cut to its most frequent names. */
  readonly truncated: boolean;
}

export interface RawIngestCounts {
  readonly total: number;
  readonly transactions: number;
  readonly accepted: number;
  readonly duplicated: number;
  readonly rejected: number;
  readonly by_format: readonly NamedCount[];
}

export interface ExceptionCounts {
  readonly total: number;
  readonly by_kind: readonly NamedCount[];
  readonly by_status: readonly NamedCount[];
  readonly by_severity: readonly NamedCount[];
}

/** How far the evidence is looked after; as it stands, whatever the window. */
export interface IntegrityState {
  readonly segments: { readonly open: number; readonly full: number; readonly sealed: number };
  readonly scrub: {
    /** Of the walk under way; null while none is. */
    readonly started_at: string | null;
    /** Of what was there when it began, in percent. */
    readonly progress_percent: number | null;
    /** Of the last walk that came to its end. */
    readonly finished_at: string | null;
    readonly records: number;
    readonly blobs: number;
    readonly bytes: number;
    readonly damaged: number;
    /** Write-once records that nothing explains. */
    readonly unexplained: number;
    /** Nothing has gone unread for longer; null before the first walk. */
    readonly oldest_unverified_seconds: number | null;
  };
  readonly reconciliation: {
    /** Chains that were compared to their end at least once. */
    readonly chains: number;
    /** Since when each chain has been compared to its end; null for never. */
    readonly passed_at: string | null;
    /** Copies that were missing and were made again. */
    readonly repaired: number;
  };
}

export interface LedgerCounts {
  readonly events: EventCounts;
  readonly raw_ingests: RawIngestCounts;
  readonly exceptions: ExceptionCounts;
  readonly integrity: IntegrityState;
}

/** What the dashboard asks of the ledger subgraph: from ≤ time < to, each optional. */
export interface LedgerCounters {
  count(tenantId: TenantId, window: { readonly fromMs?: number; readonly toMs?: number }): Promise<LedgerCounts>;
}
