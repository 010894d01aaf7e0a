import { appendFile, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCheckpoint } from '../../../../shared/notes/checkpoint.js';
import { parseNote } from '../../../../shared/notes/signed-note.js';
import type { CheckpointFiles, CheckpointPlace } from '../ports/checkpoint-sinks.js';

const LATEST = 'checkpoint';
const HISTORY = 'history.notes';

/**
 * Notes under `<root>/<log id>/inc-<n>/`: `checkpoint` is the latest and is replaced as a whole; `history.notes` holds
 * all notes, each followed by an empty line, and only grows.
 */
export function checkpointFiles(root: string): CheckpointFiles {
  const folderOf = ({ logId, incarnation }: CheckpointPlace): string => {
    // The id comes from the tenant directory and becomes a path.
    if (!/^[A-Za-z0-9_-]+$/.test(logId)) throw new RangeError('the log id cannot be a path');
    return join(root, logId, `inc-${incarnation}`);
  };
  const latest = (place: CheckpointPlace): Promise<string | null> => contentOf(join(folderOf(place), LATEST));
  return {
    latest,
    async write(place, note) {
      const folder = folderOf(place);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await appendFile(join(folder, HISTORY), `${note}\n`, { flush: true, mode: 0o600 });
      // The slower of two publishers may write later: the larger note stays the latest.
      const known = await latest(place);
      if (known === null || sizeOf(known) < sizeOf(note)) await replace(folder, note);
    },
  };
}

async function contentOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const sizeOf = (note: string): number => parseCheckpoint(parseNote(note).text).size;

/** A reader sees the old note or the new one, even after a crash. */
async function replace(folder: string, note: string): Promise<void> {
  const path = join(folder, LATEST);
  const fresh = await open(`${path}.new`, 'w', 0o600);
  try {
    await fresh.writeFile(note);
    await fresh.sync();
  } finally {
    await fresh.close();
  }
  await rename(`${path}.new`, path);
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
