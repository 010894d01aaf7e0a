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

export interface LedgerCounts {
  readonly events: EventCounts;
  readonly raw_ingests: RawIngestCounts;
  readonly exceptions: ExceptionCounts;
}

/** What the dashboard asks of the ledger subgraph: from ≤ time < to, each optional. */
export interface LedgerCounters {
  count(tenantId: TenantId, window: { readonly fromMs?: number; readonly toMs?: number }): Promise<LedgerCounts>;
}
