import type { AnyBulkWriteOperation, Db, Filter } from 'mongodb';
import { DURABLE } from '../../db/connection-options.js';
import { isProblem } from '../../errors/problem.js';
import { StartRefused } from '../../errors/start-refused.js';
import { type KeyRow, keyIn } from './content-keys.js';
import type { EpochKeys } from './epoch-keys.js';

const BATCH_ROWS = 1000;

/** Keys that the current epoch does not wrap: of earlier epochs, and in clear. */
const othersThan = (current: number): Filter<KeyRow> => ({
  $or: [{ key: { $exists: true } }, { epoch: { $exists: true, $ne: current } }],
});

/**
 * Wraps every key under the current epoch. Each batch is durable, so a run that broke off continues where it ended.
 *
 * @param taken the write-once database under the credential that may update
 * @param report gets the number of keys wrapped so far
 * @returns the number of keys wrapped
 * @throws StartRefused if a key does not open: what it encrypts could never be read again after the end of its epoch
 */
export async function rewrapKeys(taken: Db, epochs: EpochKeys, report: (done: number) => void): Promise<number> {
  const rows = taken.collection<KeyRow>('worm_keys', { promoteBuffers: true });
  const others = othersThan(epochs.current);
  let [done, damaged] = [0, 0];
  for (let last = ''; ; ) {
    const batch = await rows.find({ ...others, _id: { $gt: last } }, { sort: { _id: 1 }, limit: BATCH_ROWS }).toArray();
    const final = batch.at(-1);
    if (final === undefined) break;
    const changes = batch.flatMap((row) => changeOf(epochs, row) ?? []);
    damaged += batch.length - changes.length;
    if (changes.length > 0) await rows.bulkWrite(changes, { ordered: false, writeConcern: DURABLE });
    done += changes.length;
    report(done);
    last = final._id;
  }
  if (damaged > 0)
    throw new StartRefused(
      `${damaged} keys in worm_keys are damaged and were left under their epoch: restore these rows from a backup`,
    );
  return done;
}

/** The update of one row, which a disposal at the same time makes void; null if its key is damaged. */
function changeOf(epochs: EpochKeys, row: KeyRow): AnyBulkWriteOperation<KeyRow> | null {
  try {
    const key = keyIn(epochs, row);
    if (key === null) return null;
    const filter = row.epoch === undefined ? { key: { $exists: true } } : { epoch: row.epoch };
    const change = { $set: epochs.wrap(row._id, key), $unset: { key: '' as const } };
    return { updateOne: { filter: { _id: row._id, ...filter }, update: change } };
  } catch (error) {
    if (!isProblem(error, 'INTEGRITY_FAILURE')) throw error;
    return null;
  }
}

/** Counts the keys that the current epoch does not wrap. */
export const countOthers = (db: Db, current: number): Promise<number> =>
  db.collection<KeyRow>('worm_keys').countDocuments(othersThan(current));
