import { type Db, type Filter, MaxKey } from 'mongodb';
import type { LedgerRow } from '../domain/ledger-row.js';
import type { ConflictStore } from '../service/ports/conflict-store.js';
import { LEDGER_COLLECTION } from './ledger-model.js';

/** Losing one only costs looking again. */
interface CursorRow {
  readonly _id: { readonly tenant_id: string; readonly source_system: string };
  readonly seq: number;
}

export function mongoConflictStore(db: Db): ConflictStore {
  const rows = db.collection<LedgerRow>(LEDGER_COLLECTION);
  const cursors = db.collection<CursorRow>('exception_cursors');
  return {
    marked: ({ tenantId, sourceSystem }, afterSeq, limit) => {
      const filter = {
        tenant_id: tenantId,
        source_system: sourceSystem,
        '_id.seq': { $gt: afterSeq },
        conflicts_with: { $exists: true },
      } as Filter<LedgerRow>;
      const projection = { event_id: 1, conflicts_with: 1 } as const;
      return rows.find(filter, { projection }).sort({ '_id.seq': 1 }).limit(limit).toArray();
    },
    doneUpTo: async (tenantId) => {
      const ids = {
        $gte: { tenant_id: tenantId, source_system: '' },
        $lt: { tenant_id: tenantId, source_system: new MaxKey() },
      };
      const found = await cursors.find({ _id: ids } as unknown as Filter<CursorRow>).toArray();
      return new Map(found.map(({ _id, seq }) => [_id.source_system, seq]));
    },
    markDone: async ({ tenantId, sourceSystem }, seq) => {
      const _id = { tenant_id: tenantId, source_system: sourceSystem };
      await cursors.updateOne({ _id }, { $max: { seq } }, { upsert: true });
    },
  };
}
