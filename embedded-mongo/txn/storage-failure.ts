import { constants } from 'node:os';
import { MongoError } from '../errors.js';

/** lmdb's own MDB_MAP_FULL. */
const mapFull = -30_792;

/** Where there is no room: disk, quota, file size limit, map; and the EIO that lmdb makes of a write cut short. */
const noRoomCodes: ReadonlySet<unknown> = new Set([
  mapFull,
  constants.errno.ENOSPC,
  constants.errno.EDQUOT,
  constants.errno.EFBIG,
  constants.errno.EIO,
]);

/** A commit that could not be written, as the error MongoDB has for it; the transaction was undone. */
export function storageFailure(error: unknown): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (!noRoomCodes.has(code)) return error;
  return new MongoError(
    'OutOfDiskSpace',
    'the disk is full or failing: the write was undone; free some space and retry',
  );
}
