import type { LedgerCounters } from '../../shared/contracts/ledger-counters.js';

/** A ledger without any events, for parts that only ask for counts. */
export const emptyLedgerCounters: LedgerCounters = {
  count: async () => ({
    events: {
      total: 0,
      by_day: [],
      by_family: [],
      by_type: [],
      by_outcome: [],
      by_source_system: [],
      truncated: false,
    },
    raw_ingests: { total: 0, transactions: 0, accepted: 0, duplicated: 0, rejected: 0, by_format: [] },
    exceptions: { total: 0, by_kind: [], by_status: [], by_severity: [] },
    integrity: {
      segments: { open: 0, full: 0, sealed: 0 },
      scrub: {
        started_at: null,
        progress_percent: null,
        finished_at: null,
        records: 0,
        blobs: 0,
        bytes: 0,
        damaged: 0,
        unexplained: 0,
        oldest_unverified_seconds: null,
      },
      reconciliation: { chains: 0, passed_at: null, repaired: 0 },
    },
  }),
};
