import { constants } from 'node:os';
import { MongoError } from '../errors.js';
import type { System } from '../system.js';

/** lmdb's own codes: the map cannot grow; and it could not tell what became of its root page. */
const mapFull = -30_792;
const panic = -30_795;

/** A write that failed: disk, quota, file size limit, device; EIO is also what lmdb makes of a write cut short. */
const failedWriteCodes: ReadonlySet<unknown> = new Set([
  constants.errno.ENOSPC,
  constants.errno.EDQUOT,
  constants.errno.EFBIG,
  constants.errno.EIO,
  constants.errno.EROFS,
  panic,
]);

/** The error clients get for a transaction that the store undid; what it does not know passes as it is. */
export function storageFailure(error: unknown): unknown {
  if (codeOf(error) !== mapFull) return error;
  return new MongoError('OutOfDiskSpace', 'the memory map is full and cannot grow: the write was undone');
}

export function isFailedWrite(error: unknown): boolean {
  return failedWriteCodes.has(codeOf(error));
}

/**
 * After a write that failed the server ends, at once and unanswered: what was acknowledged is on disk, the transaction
 * was undone, and the memory of lmdb-js may be damaged by its own report of the error (see room-guard.ts).
 */
export function giveUpAfterFailedWrite(error: unknown, dataDir: string, system: Pick<System, 'giveUp'>): void {
  if (!isFailedWrite(error)) return;
  const reason = error instanceof Error ? error.message : String(error);
  system.giveUp(
    `a write to ${dataDir} failed (${reason}) and was undone; the server ends, with everything it acknowledged on disk. ` +
      'See to the disk, its quota and its limits, then start again',
  );
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
