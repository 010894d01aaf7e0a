import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { DataCipher, type Encryption } from './data-cipher.js';
import { DataDirectoryError } from './data-directory.js';
import { setUnfinishedStartAside } from './first-start.js';
import { pageKeyFor } from './page-key.js';
import { plainValues, sealedValues, type Values } from './values.js';

/** Initial size of the (virtual) memory map, large enough that LMDB rarely has to remap. */
const MAP_SIZE_BYTES = 64 * 1024 ** 3;

export type Bytes = Database<Buffer, Buffer>;

/** Names of the stores. A sealed value is bound to the name of its store. */
export const CATALOG_STORE = 'catalog';
export const DATA_STORE = 'data';

/** The two stores of one data directory and the environment that holds them. */
export interface Environment {
  readonly root: RootDatabase<Buffer, Buffer>;
  /** Collections, indexes and counters. */
  readonly catalog: Values;
  /** Keys of records and the entries of indexes. Read and write the documents by `records`. */
  readonly data: Bytes;
  /** The documents in `data`. */
  readonly records: Values;
  /** The bytes of `catalog` as they are stored. */
  readonly catalogBytes: Bytes;
  /** The data keys of encrypted files. */
  readonly encryption: Encryption | undefined;
  close(): Promise<void>;
}

interface EnvironmentOptions {
  readonly mapSizeBytes?: number;
  /** Needed for encrypted files. A new file is encrypted when it is given. */
  readonly encryption?: Encryption;
}

/**
 * Opens or creates the database files in `dataDir`; rejects files of other programs. The caller owns the directory.
 *
 * @throws DataDirectoryError
 */
export function openEnvironment(dataDir: string, options: EnvironmentOptions = {}): Environment {
  const { mapSizeBytes: mapSize = MAP_SIZE_BYTES, encryption } = options;
  const pageKey = pageKeyFor(dataDir, encryption, !existsSync(join(dataDir, 'data.mdb')));
  const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
  // safeRestore: always reopen at the last *flushed* transaction. Missing in LMDB's type declaration.
  const files = { path: dataDir, noSubdir: false, maxDbs: 4, mapSize, safeRestore: true };
  const root = open<Buffer, Buffer>({
    ...binary,
    ...files,
    ...(pageKey === undefined ? {} : { encryptionKey: pageKey }),
  });
  requireOurs(root, dataDir);
  const catalogBytes = root.openDB<Buffer, Buffer>(CATALOG_STORE, binary);
  const data = root.openDB<Buffer, Buffer>(DATA_STORE, binary);
  const cipher = pageKey !== undefined && encryption ? new DataCipher(encryption) : undefined;
  const valuesOf = (store: Bytes, name: string) => (cipher ? sealedValues(store, name, cipher) : plainValues(store));
  return {
    root,
    catalog: valuesOf(catalogBytes, CATALOG_STORE),
    data,
    records: valuesOf(data, DATA_STORE),
    catalogBytes,
    encryption: pageKey === undefined ? undefined : encryption,
    close: () => root.close(),
  };
}

/** The root holds the names of the stores. Other names belong to another program's file, which must stay unchanged. */
function requireOurs(root: RootDatabase<Buffer, Buffer>, dataDir: string): void {
  const foreign = [...root.getKeys({ limit: 8 })]
    .map((key) => key.toString('utf8').replace(/\0$/, ''))
    .filter((name) => name !== CATALOG_STORE && name !== DATA_STORE);
  if (foreign.length === 0) return;
  void root.close();
  throw new DataDirectoryError(
    'foreign',
    `${dataDir} holds an lmdb file of another program (with "${foreign[0]}"): choose another folder for the database`,
  );
}

/** Layout of an lmdb meta page (lmdb-js, data version 2): both of the first two pages hold one. */
const META_AT = {
  magic: 24,
  version: 28,
  pageSize: 48,
  freeRoot: 88,
  mainRoot: 136,
  lastPage: 144,
  transaction: 152,
} as const;
const LMDB_MAGIC = 0xbeefc0de;
const META_READ_BYTES = 160;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** Files of other engines: the directory belongs to another program. */
const FOREIGN_FILES = ['WiredTiger', 'WiredTiger.wt', 'mongod.lock', 'storage.bson'];

/** The state of the file: `suspect` requires a check of every record and index before it is served. */
type DataFileState = 'new' | 'whole' | 'suspect';

interface Meta {
  readonly pageSize: number;
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

/**
 * Checks the data file before LMDB maps it: a mapped file that is short or garbled kills the process with a signal,
 * without a message for the operator.
 */
export function checkDataFile(dataDir: string): DataFileState {
  for (const name of FOREIGN_FILES) {
    if (existsSync(join(dataDir, name)))
      throw new DataDirectoryError('foreign', `${dataDir} holds the files of another database engine (${name})`);
  }
  const path = join(dataDir, 'data.mdb');
  if (setUnfinishedStartAside(dataDir) || !existsSync(path)) return 'new';
  const file = openSync(path, 'r+');
  try {
    const sizeBytes = fstatSync(file).size;
    const first = readMeta(file, 0, sizeBytes, path);
    const second = readMeta(file, first.pageSize, sizeBytes, path);
    return extendToLastPage(file, sizeBytes, first.transaction > second.transaction ? first : second);
  } finally {
    closeSync(file);
  }
}

/**
 * LMDB may leave free pages at the end unwritten, so a short file can be whole; or it was cut, and reading the missing
 * part would end the process. Appended zeros do not harm the first and make the second readable.
 */
function extendToLastPage(file: number, sizeBytes: number, { pageSize, lastPage }: Meta): DataFileState {
  const wholeBytes = Number(lastPage + 1n) * pageSize;
  if (sizeBytes >= wholeBytes) return 'whole';
  ftruncateSync(file, wholeBytes);
  return 'suspect';
}

function readMeta(file: number, offset: number, sizeBytes: number, path: string): Meta {
  const damaged = (what: string) =>
    new DataDirectoryError(
      'damaged',
      `${path} is damaged: ${what}; restore a backup, or move it away to start with an empty database`,
    );
  const meta = Buffer.alloc(META_READ_BYTES);
  if (readSync(file, meta, 0, META_READ_BYTES, offset) < META_READ_BYTES) throw damaged('it is too short');
  if (meta.readUInt32LE(META_AT.magic) !== LMDB_MAGIC) throw damaged(`at ${offset} there is no lmdb meta page`);
  if (meta.readUInt32LE(META_AT.version) !== 2) throw damaged('its lmdb format version is not 2');
  const pageSize = meta.readUInt32LE(META_AT.pageSize);
  for (const root of [META_AT.freeRoot, META_AT.mainRoot]) {
    const page = meta.readBigUInt64LE(root);
    if (page !== NO_PAGE && (page + 1n) * BigInt(pageSize) > BigInt(sizeBytes))
      throw damaged('it ends before its own root page');
  }
  return {
    pageSize,
    lastPage: meta.readBigUInt64LE(META_AT.lastPage),
    transaction: meta.readBigUInt64LE(META_AT.transaction),
  };
}
