import { Binary, type Db, type WithId } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { LogRoots, LogRootsRow } from './ports.js';

/** Read by `_id` alone, the start of the period. */
const COLLECTION = 'ledger_log_roots';

type Stored = Omit<LogRootsRow, 'leaves'> & { readonly leaves: Binary };

const rowOf = (stored: WithId<Stored>): LogRootsRow => ({ ...stored, leaves: Buffer.from(stored.leaves.buffer) });

export function logRoots(db: Db): LogRoots {
  const rows = db.collection<Stored>(COLLECTION);
  const get = async (period: string): Promise<LogRootsRow | null> => {
    const found = await rows.findOne({ _id: period });
    return found && rowOf(found);
  };
  return {
    get,
    async newest() {
      const found = await rows.findOne({}, { sort: { _id: -1 } });
      return found && rowOf(found);
    },
    async appended(limit) {
      const found = await rows
        .find({ is_appended: true }, { sort: { _id: -1 } })
        .limit(limit)
        .toArray();
      return found.map(rowOf);
    },
    async save(row) {
      try {
        await rows.insertOne({ ...row, leaves: new Binary(row.leaves) }, { writeConcern: DURABLE });
      } catch (error) {
        if (!duplicateKeyOf(error)) throw error;
      }
      return (await get(row._id)) ?? row;
    },
    async appendedNow(period) {
      await rows.updateOne({ _id: period }, { $set: { is_appended: true } });
    },
  };
}
