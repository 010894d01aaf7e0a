import type { Db, Filter } from 'mongodb';
import type { LedgerRow } from '../domain/ledger-row.js';
import type { CustodyStore } from '../service/ports/custody-store.js';
import { timeFilter } from './event-filter.js';
import { LEDGER_COLLECTION } from './ledger-model.js';

/** Custody read off the ledger itself, by the index of its keys: there is no second copy that could say otherwise. */
export function mongoCustodyStore(db: Db): CustodyStore {
  const rows = db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true });
  return (tenantId) => ({
    list: (query) => {
      const direction = query.ascending ? 1 : -1;
      const keyed = query.keys.map((keys) => ({ 'query.custody_keys': keys.length === 1 ? keys[0] : { $in: keys } }));
      const filter = { $and: [{ tenant_id: tenantId, ...keyed[0] }, ...keyed.slice(1), timeFilter(query)] };
      const limit = query.limit + 1;
      return rows
        .find(filter as Filter<LedgerRow>, { projection: { seed: 0 } })
        .sort({ 'query.effective_at': direction, event_id: direction })
        .limit(limit)
        .batchSize(limit)
        .toArray();
    },
  });
}
