import { chmod, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { codeOf, OPEN_FILE_MODE, SEALED_FILE_MODE, writeSealedFile } from './durable-files.js';

/** Rights that the service's credential or system user should not have on write-once data (evidence.md section 4). */
type WormRight = 'update' | 'delete';

const UNAUTHORIZED = 13;
const NOWHERE = { tenant_id: '', sha256: 'self-test' };

/**
 * Tries an update and a delete on write-once rows with this credential. Neither changes anything, because no row has that
 * id. @returns the rights that the server grants
 */
export async function wormRights(db: Db): Promise<readonly WormRight[]> {
  const rows = db.collection<{ _id: typeof NOWHERE }>('blobs');
  const tries: readonly (readonly [WormRight, () => Promise<unknown>])[] = [
    ['update', () => rows.updateOne({ _id: NOWHERE }, { $set: { 'self-test': true } })],
    ['delete', () => rows.deleteOne({ _id: NOWHERE })],
  ];
  const rights: WormRight[] = [];
  for (const [right, act] of tries) if (await isAllowed(act)) rights.push(right);
  return rights;
}

const PROBE = 'self-test';
/** Error codes of a file system that enforces write-once, also for a superuser. */
const REFUSALS: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS'];

/**
 * Tries to write to and to delete a read-only file in the write-once folder. A plain file system allows both to the owner;
 * an immutable or WORM volume refuses. @returns the rights that the file system grants
 */
export async function folderRights(folder: string): Promise<readonly WormRight[]> {
  const probe = join(folder, PROBE);
  await writeSealedFile(probe, Buffer.alloc(0)).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  const rights: WormRight[] = [];
  const tries: readonly (readonly [WormRight, () => Promise<unknown>])[] = [
    ['update', () => reopened(probe)],
    ['delete', () => rm(probe)],
  ];
  for (const [right, act] of tries) {
    try {
      await act();
      rights.push(right);
    } catch (error) {
      const code = codeOf(error);
      // Another process that starts at the same time was able to delete it.
      if (code === 'ENOENT') rights.push(right);
      else if (!REFUSALS.includes(code)) throw error;
    }
  }
  return rights;
}

async function reopened(path: string): Promise<void> {
  await chmod(path, OPEN_FILE_MODE);
  await (await open(path, 'r+')).close();
  await chmod(path, SEALED_FILE_MODE);
}

async function isAllowed(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    // The server refused for lack of the right; any other error is thrown.
    if (codeOf(error) === UNAUTHORIZED) return false;
    throw error;
  }
}
