import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

export const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

/** Reads a file; null if there is none. */
export async function contentOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Flushes a folder's own list of names. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

let written = 0;

/**
 * Replaces a file as a whole, for the owner alone: after a crash there is the old file or the new one. Of two calls at
 * once each has a new file to itself, and the later one stays.
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  written += 1;
  const name = `${path}.${process.pid}-${written}.new`;
  const fresh = await open(name, 'wx', 0o600);
  try {
    await fresh.writeFile(content);
    await fresh.sync();
  } finally {
    await fresh.close();
  }
  await rename(name, path);
  await syncFolder(dirname(path));
}
