import type { Db } from 'mongodb';
import type { LedgerRow } from '../append/domain/index.js';
import { LEDGER_COLLECTION, timeFilter } from '../append/index.js';
import type { CustodyStore } from './ports.js';

/** Reads custody from the ledger itself, by the index of its keys: a second copy could differ. */
export function mongoCustodyStore(db: Db): CustodyStore {
  const rows = db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true });
  return (tenantId) => ({
    list: (query) => {
      const direction = query.ascending ? 1 : -1;
      const keyed = query.keys.map((keys) => ({ 'query.custody_keys': keys.length === 1 ? keys[0] : { $in: keys } }));
      const filter = { $and: [{ tenant_id: tenantId, ...keyed[0] }, ...keyed.slice(1), timeFilter(query)] };
      const limit = query.limit + 1;
      return rows
        .find(filter)
        .sort({ 'query.effective_at': direction, event_id: direction })
        .limit(limit)
        .batchSize(limit)
        .toArray();
    },
  });
}
