import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { defineCall, list, SAFE_INT_OR_NULL } from './call.js';

const NamedCount = z.object({
  /** Null for records without a value. */
  name: z.string().nullable(),
  count: z.int(),
});
export type NamedCount = z.infer<typeof NamedCount>;

const DayCount = z.object({ date: z.string(), count: z.int() });

const COUNTS = list(NamedCount);

/** Events of callers, without reserved partitions. Names are in lower case, the most frequent first. */
const EventCounts = z.object({
  total: z.int(),
  by_day: list(DayCount),
  by_family: COUNTS,
  by_type: COUNTS,
  by_outcome: COUNTS,
  by_source_system: COUNTS,
  /** Whether a list shows only its most frequent names. */
  truncated: z.boolean(),
});
export type EventCounts = z.infer<typeof EventCounts>;

const RawIngestCounts = z.object({
  total: z.int(),
  transactions: z.int(),
  accepted: z.int(),
  duplicated: z.int(),
  rejected: z.int(),
  by_format: COUNTS,
});

const ExceptionCounts = z.object({ total: z.int(), by_kind: COUNTS, by_status: COUNTS, by_severity: COUNTS });

/** State of the integrity checks now, whatever the window. */
const IntegrityState = z.object({
  segments: z.object({ open: z.int(), full: z.int(), sealed: z.int() }),
  scrub: z.object({
    /** Start of the current walk; null while none runs. */
    started_at: z.string().nullable(),
    /** Percent of the records that existed when the walk began. */
    progress_percent: z.number().nullable(),
    /** End of the last complete walk. */
    finished_at: z.string().nullable(),
    records: z.int(),
    blobs: z.int(),
    bytes: z.number(),
    damaged: z.int(),
    /** Write-once records that nothing refers to. */
    unexplained: z.int(),
    /** Longest time that a record has gone unread; null before the first walk. */
    oldest_unverified_seconds: z.number().nullable(),
  }),
  reconciliation: z.object({
    /** Chains that were compared to their end at least once. */
    chains: z.int(),
    /** Time since which every chain has been compared to its end; null for never. */
    passed_at: z.string().nullable(),
    /** Missing copies that were written again. */
    repaired: z.int(),
  }),
});
export type IntegrityState = z.infer<typeof IntegrityState>;

const LedgerCounts = z.object({
  events: EventCounts,
  raw_ingests: RawIngestCounts,
  exceptions: ExceptionCounts,
  integrity: IntegrityState,
});
export type LedgerCounts = z.infer<typeof LedgerCounts>;

/** Counts of the ledger subgraph for the dashboard: from ≤ time < to, each optional. */
export interface LedgerCounters {
  count(tenantId: TenantId, window: { readonly fromMs?: number; readonly toMs?: number }): Promise<LedgerCounts>;
}

export const countLedger = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'countLedger',
  input: { from_ms: SAFE_INT_OR_NULL, to_ms: SAFE_INT_OR_NULL },
  output: LedgerCounts,
});
