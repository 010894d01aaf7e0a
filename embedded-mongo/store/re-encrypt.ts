import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { KIND } from '../catalog/collection.js';
import { isRecord } from '../checked-access.js';
import { copyEnvironment, type ReportEntries, type Rewrite } from './copy-environment.js';
import { DataCipher, type Encryption } from './data-cipher.js';
import { DataDirectoryError } from './data-directory.js';
import { CATALOG_STORE, checkDataFile, DATA_STORE, type Environment, openEnvironment } from './environment.js';
import { PREFIX_BYTES } from './keys.js';
import { takeOwnerLock } from './owner-lock.js';
import { COMPLETE_FILE, isEncrypted, NEXT_FOLDER, PAGE_KEY_FILE } from './page-key.js';
import { placesOf } from './values.js';

/** Of the name of the attempt's private socket; see takeOwnerLock. */
const TOKEN_BYTES = 4;
/** Names the state of the old file that the new files continue. */
const SOURCE_FILE = 'source.json';

interface ReEncryption {
  /** Opens the present files; absent for files that are not encrypted. */
  readonly from?: Encryption;
  readonly to: Encryption;
  /** Called with the number of written entries and, about, of all. */
  readonly report?: ReportEntries;
}

/**
 * Writes the database of a folder into new files, with a new page key and every value sealed with the current data key.
 * No server may run on the folder. An attempt that was cut off is continued where it was; the old files stay in use until
 * the new ones are whole.
 *
 * @returns whether an earlier attempt was continued
 * @throws DataDirectoryError when a server runs, the files are damaged, or the keys do not open them
 */
export async function reEncrypt(dataDir: string, { from, to, report }: ReEncryption): Promise<boolean> {
  const lock = await takeOwnerLock(dataDir, randomBytes(TOKEN_BYTES).toString('hex'));
  try {
    if (finishReEncryption(dataDir)) return true;
    if (checkDataFile(dataDir) === 'new') throw new DataDirectoryError('damaged', `there is no database in ${dataDir}`);
    const present = from && isEncrypted(dataDir) ? { encryption: from } : {};
    const source = openEnvironment(dataDir, present);
    try {
      const isContinued = prepare(dataDir, source);
      await copyInto(join(dataDir, NEXT_FOLDER), source, to, report);
      return isContinued;
    } finally {
      await source.close();
      if (existsSync(join(dataDir, NEXT_FOLDER, COMPLETE_FILE))) finishReEncryption(dataDir);
    }
  } finally {
    await lock.release();
  }
}

/** Makes the folder of the new files, or keeps that of an attempt on the same state. @returns whether it was kept */
function prepare(dataDir: string, source: Environment): boolean {
  const folder = join(dataDir, NEXT_FOLDER);
  const state = JSON.stringify({ transaction: lastTransaction(source) });
  const path = join(folder, SOURCE_FILE);
  if (existsSync(path) && readFileSync(path, 'utf8') === state) return true;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(path, state, { mode: 0o600 });
  return false;
}

async function copyInto(folder: string, source: Environment, to: Encryption, report?: ReportEntries): Promise<void> {
  const target = openEnvironment(folder, { encryption: to });
  const cipher = new DataCipher(to);
  const opener = source.encryption && new DataCipher(source.encryption);
  const resealed = (name: string): Rewrite => {
    const place = placesOf(name);
    return (key, value) => cipher.seal(place(key), opener ? opener.open(place(key), value) : value);
  };
  const { collections, orphans } = prefixesOf(source);
  const resealRecord = resealed(DATA_STORE);
  const data: Rewrite = (key, value) => {
    const prefix = key.readUInt32BE(0);
    // The remains of a dropped collection have no owner and no reader.
    if (orphans.has(prefix)) return undefined;
    return collections.has(prefix) ? resealRecord(key, value) : value;
  };
  try {
    await copyEnvironment(source, target, { catalog: resealed(CATALOG_STORE), data, report });
  } finally {
    await target.close();
  }
  writeFileSync(join(folder, COMPLETE_FILE), '', { mode: 0o600 });
  for (const name of ['data.mdb', PAGE_KEY_FILE, COMPLETE_FILE, '.']) flush(join(folder, name));
}

/** The prefixes of keys that belong to collections, and those without an owner. */
function prefixesOf({ catalogBytes }: Environment): { collections: Set<number>; orphans: Set<number> } {
  const [collections, orphans] = [new Set<number>(), new Set<number>()];
  for (const key of catalogBytes.getKeys({})) {
    if (key.length < 1 + PREFIX_BYTES) continue;
    if (key[0] === KIND.collection) collections.add(key.readUInt32BE(1));
    if (key[0] === KIND.orphan) orphans.add(key.readUInt32BE(1));
  }
  return { collections, orphans };
}

/**
 * Puts complete new files in the place of the old ones, also those of an attempt that died at this step. Every start calls
 * it before it opens the files.
 *
 * @returns whether there were any
 */
export function finishReEncryption(dataDir: string): boolean {
  const folder = join(dataDir, NEXT_FOLDER);
  if (!existsSync(join(folder, COMPLETE_FILE))) return false;
  for (const name of [PAGE_KEY_FILE, 'data.mdb'])
    if (existsSync(join(folder, name))) renameSync(join(folder, name), join(dataDir, name));
  rmSync(join(dataDir, 'lock.mdb'), { force: true });
  flush(dataDir);
  rmSync(folder, { recursive: true, force: true });
  return true;
}

function lastTransaction({ root }: Environment): number {
  const stats: unknown = root.getStats();
  return isRecord(stats) && typeof stats['lastTxnId'] === 'number' ? stats['lastTxnId'] : 0;
}

/** Windows cannot flush a folder or a file that is open for reading. */
function flush(path: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
