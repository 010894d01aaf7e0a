import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../checked-access.js';
import { DataCipher, type Encryption, SealError } from './data-cipher.js';
import { DataDirectoryError } from './data-directory.js';

/**
 * LMDB's key for the pages of one data file, sealed with a data key. LMDB encrypts pages with ChaCha8 and the page number
 * as nonce, so two files must never share this key.
 */
export const PAGE_KEY_FILE = 'page-key.json';
const FORMAT = 1;
/** LMDB takes 32 ASCII characters. They are 24 random bytes in base64url. */
const PAGE_KEY_BYTES = 24;
const PLACE = Buffer.from('page-key\0');

/** New files of a folder, which take the place of the present ones; see re-encrypt.ts. */
export const NEXT_FOLDER = 'encrypting';
/** Present when the new files are complete. From then on only they count. */
export const COMPLETE_FILE = 'complete';

/** Whether the files of a folder are encrypted, or will be when the next start has put complete new files in place. */
export const isEncrypted = (dataDir: string): boolean => existsSync(pathIn(dataDir));

function pathIn(dataDir: string): string {
  const next = join(dataDir, NEXT_FOLDER);
  const isNext = existsSync(join(next, COMPLETE_FILE)) && existsSync(join(next, PAGE_KEY_FILE));
  return join(isNext ? next : dataDir, PAGE_KEY_FILE);
}

/** Makes the page key of a new data file. It is on the disk before LMDB makes the file. */
function makePageKey(dataDir: string, cipher: DataCipher): string {
  const key = randomBytes(PAGE_KEY_BYTES).toString('base64url');
  const sealed = cipher.seal(PLACE, Buffer.from(key, 'ascii')).toString('base64');
  const path = join(dataDir, PAGE_KEY_FILE);
  const file = openSync(`${path}.draft`, 'w', 0o600);
  try {
    writeSync(file, `${JSON.stringify({ format: FORMAT, sealed })}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.draft`, path);
  return key;
}

/** @throws DataDirectoryError for a file that the keys do not open */
function readPageKey(dataDir: string, cipher: DataCipher): string {
  const path = join(dataDir, PAGE_KEY_FILE);
  const sealed = sealedIn(path);
  try {
    return cipher.open(PLACE, sealed).toString('ascii');
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const what = `the data keys do not open ${path} (${error.message})`;
    throw new DataDirectoryError('locked', `${what}: start with the keys that the folder was made with`);
  }
}

/** The version of the data key that a folder needs first. */
export const pageKeyVersion = (dataDir: string): number => DataCipher.versionOf(sealedIn(pathIn(dataDir)));

function sealedIn(path: string): Buffer {
  const found = parsed(readFileSync(path, 'utf8'));
  if (isRecord(found) && found['format'] === FORMAT && typeof found['sealed'] === 'string')
    return Buffer.from(found['sealed'], 'base64');
  throw new DataDirectoryError('damaged', `${path} is damaged; restore a backup`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws DataDirectoryError when the files and the given keys do not belong together */
export function pageKeyFor(dataDir: string, encryption: Encryption | undefined, isNew: boolean): string | undefined {
  if (isNew) return encryption && makePageKey(dataDir, new DataCipher(encryption));
  if (isEncrypted(dataDir)) {
    if (encryption) return readPageKey(dataDir, new DataCipher(encryption));
    throw new DataDirectoryError('locked', `${dataDir} is encrypted: its data keys are needed`);
  }
  if (encryption === undefined) return undefined;
  throw new DataDirectoryError('locked', `${dataDir} is not encrypted: encrypt it before it is opened with data keys`);
}
