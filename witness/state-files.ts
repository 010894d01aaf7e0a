import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../shared/crypto/hash.js';
import { parseCheckpoint } from '../shared/notes/checkpoint.js';
import { parseNote } from '../shared/notes/signed-note.js';
import type { WitnessState } from './add-checkpoint.js';

/**
 * Stores the last cosigned note of each origin in a file named by the hash of the origin. An unreadable file stops the
 * witness from cosigning that log, and never counts as an empty state.
 */
export async function stateFiles(folder: string): Promise<WitnessState> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const pathOf = (origin: string): string => join(folder, `${sha256Hex(origin)}.note`);
  return {
    async seen(origin) {
      const note = await contentOf(pathOf(origin));
      if (note === null) return null;
      const body = parseState(note);
      if (body.origin !== origin) throw new Error('a state file of another origin');
      return body;
    },
    remember: (origin, note) => replaceFile(pathOf(origin), note),
  };
}

function parseState(note: string) {
  try {
    return parseCheckpoint(parseNote(note).text);
  } catch (error) {
    throw new Error('a state file cannot be read', { cause: error });
  }
}

export const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

export async function contentOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Replaces a file atomically: after a crash there is the old file or the new one. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const fresh = await open(`${path}.new`, 'w', 0o600);
  try {
    await fresh.writeFile(content);
    await fresh.sync();
  } finally {
    await fresh.close();
  }
  await rename(`${path}.new`, path);
  const folder = await open(join(path, '..'), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
