import { chmod, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { codeOf, OPEN_FILE_MODE, SEALED_FILE_MODE, writeSealedFile } from './durable-files.js';

/** What the service's own credential, or its user on the machine, should not be able to do in the write-once database (evidence.md section 4). */
export type WormRight = 'update' | 'delete';

const UNAUTHORIZED = 13;
const NOWHERE = { tenant_id: '', sha256: 'self-test' };

/**
 * Tries an update and a delete on write-once rows with this credential; neither would change anything, since no row has that
 * name. @returns what the server would have let it do.
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
/** What a file system answers that keeps what is written, to a superuser as well. */
const REFUSALS: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS'];

/**
 * The same of the write-once folder: tries to open for writing, and to take away, a file that is for reading only. A plain
 * file system lets the owner do both; one that keeps files (immutable, or a WORM volume) refuses.
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
      // Another process that starts at this moment was let take it away.
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
    // Refused for want of the right; anything else is a fault of its own.
    if ((error as { code?: unknown }).code === UNAUTHORIZED) return false;
    throw error;
  }
}
