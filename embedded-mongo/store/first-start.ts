import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, DataDirectoryError } from './data-directory.js';

/** Lies in the folder from before LMDB creates its file until the first transaction is on disk. */
const MARK_NAME = 'unfinished-start';
const ASIDE_NAME = 'data.mdb.unfinished';
/** An environment that never finished its first transaction holds a few pages. A larger file may hold data. */
const MAX_UNFINISHED_BYTES = 1024 ** 2;

/**
 * Moves the data file of a first start that did not finish out of the way. Such a file may be empty, short or zeroed,
 * and holds no acknowledged write, because the server removes the mark before it accepts connections.
 *
 * @returns whether the start begins again with an empty folder
 */
export function setUnfinishedStartAside(dataDir: string): boolean {
  const path = join(dataDir, 'data.mdb');
  if (!existsSync(join(dataDir, MARK_NAME))) return false;
  if (!existsSync(path)) return true;
  if (statSync(path).size > MAX_UNFINISHED_BYTES) return false;
  renameSync(path, join(dataDir, ASIDE_NAME));
  rmSync(join(dataDir, 'lock.mdb'), { force: true });
  return true;
}

/** Marks the folder before LMDB creates its file. @throws DataDirectoryError when the disk is full */
export function markFirstStart(dataDir: string): void {
  try {
    const mark = openSync(join(dataDir, MARK_NAME), 'w', 0o600);
    fsyncSync(mark);
    closeSync(mark);
    flushNames(dataDir);
  } catch (error) {
    if (codeOf(error) !== 'ENOSPC' && codeOf(error) !== 'EDQUOT') throw error;
    throw new DataDirectoryError('no-room', `the disk of ${dataDir} is full`, { cause: error });
  }
}

/** Removes the mark after the first transaction. It is off the disk before the server acknowledges a write. */
export function finishFirstStart(dataDir: string): void {
  if (!existsSync(join(dataDir, MARK_NAME))) return;
  rmSync(join(dataDir, MARK_NAME));
  rmSync(join(dataDir, ASIDE_NAME), { force: true });
  flushNames(dataDir);
}

/** Windows cannot flush a folder. */
function flushNames(dataDir: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dataDir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
