import type { Db } from 'mongodb';
import type { LedgerCursors } from '../service/ports/ledger-cursors.js';

interface CursorDocument {
  readonly _id: { readonly tenant_id: string; readonly source_system: string };
  readonly tenant_id: string;
  readonly seq: number;
}

const COLLECTION = 'webhook_ledger_cursors';

/** Cursors by tenant and chain; the index is built when the store is made. */
export async function ledgerCursors(db: Db): Promise<LedgerCursors> {
  const cursors = db.collection<CursorDocument>(COLLECTION, { writeConcern: { w: 1 } });
  await cursors.createIndex({ tenant_id: 1 });
  return {
    of: async (tenantId) => {
      const rows = await cursors.find({ tenant_id: tenantId }).toArray();
      return rows.map(({ _id: { source_system }, seq }) => ({ source_system, sequence: seq }));
    },
    advance: async (tenantId, heads) => {
      if (heads.length === 0) return;
      await cursors.bulkWrite(
        heads.map(({ source_system, sequence }) => ({
          updateOne: {
            filter: { _id: { tenant_id: tenantId, source_system } },
            update: { $max: { seq: sequence }, $set: { tenant_id: tenantId } },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },
  };
}
