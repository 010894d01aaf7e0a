import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryError } from './data-directory.js';

const OTHERS = 0o077;
const STICKY = 0o1000;
const DATA_FILES = ['data.mdb', 'lock.mdb'] as const;

/** Changes the mode of a file or folder; throws as `chmodSync` does. */
type Chmod = (path: string, mode: number) => void;

/**
 * Makes the folder of the database for its owner alone, and tightens one that others may read. A folder with other files and
 * without a database, or one that many share, stays as it is: only the files in it are tightened.
 *
 * @throws DataDirectoryError with the command that mends it
 */
export function makePrivate(dataDir: string, chmod: Chmod = chmodSync): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return;
  const names = readdirSync(dataDir);
  const { mode } = statSync(dataDir);
  const isOurs = names.length === 0 || names.includes(DATA_FILES[0]);
  if (isOurs && (mode & OTHERS) !== 0 && (mode & STICKY) === 0) tighten(dataDir, 0o700, chmod);
}

/** lmdb makes its files with the modes of the process's umask. @throws DataDirectoryError */
export function tightenFiles(dataDir: string): void {
  if (process.platform === 'win32') return;
  for (const name of DATA_FILES) {
    const path = join(dataDir, name);
    if ((statSync(path).mode & OTHERS) !== 0) tighten(path, 0o600, chmodSync);
  }
}

function tighten(path: string, mode: number, chmod: Chmod): void {
  try {
    chmod(path, mode);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const command = `chmod ${mode.toString(8)} ${path}`;
    throw new DataDirectoryError('not-private', `others may read ${path} (${code}); run: ${command}`, { cause: error });
  }
}
