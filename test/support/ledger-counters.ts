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
  }),
};
