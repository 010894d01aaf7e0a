import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryError } from './data-directory-error.js';

/** Layout of an lmdb meta page (lmdb-js, data version 2): both of the first two pages hold one. */
const metaAt = {
  magic: 24,
  version: 28,
  pageSize: 48,
  freeRoot: 88,
  mainRoot: 136,
  lastPage: 144,
  transaction: 152,
} as const;
const lmdbMagic = 0xbeefc0de;
const metaReadBytes = 160;
const noPage = 0xffff_ffff_ffff_ffffn;

/** Files of other engines: their presence means the directory is somebody else's. */
const foreignFiles = ['WiredTiger', 'WiredTiger.wt', 'mongod.lock', 'storage.bson'];

/** What the file looked like: `suspect` asks for every record and index to be checked before it is served. */
export type DataFileState = 'new' | 'whole' | 'suspect';

interface Meta {
  readonly pageSize: number;
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

/**
 * Looks at the data file before lmdb maps it: a mapped file that is cut short or garbled kills the process by a
 * signal, and a signal tells the operator nothing.
 */
export function checkDataFile(dataDir: string): DataFileState {
  for (const name of foreignFiles) {
    if (existsSync(join(dataDir, name))) {
      throw new DataDirectoryError('foreign', `${dataDir} holds the files of another database engine (${name})`);
    }
  }
  const path = join(dataDir, 'data.mdb');
  if (!existsSync(path)) return 'new';
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
 * lmdb may leave free pages at the end unwritten, so a file that ends early can be whole; or it was cut, and reading
 * what is missing would end the process. Zeros in their place do no harm to the one and make the other readable.
 */
function extendToLastPage(file: number, sizeBytes: number, { pageSize, lastPage }: Meta): DataFileState {
  const wholeBytes = Number(lastPage + 1n) * pageSize;
  if (sizeBytes >= wholeBytes) return 'whole';
  ftruncateSync(file, wholeBytes);
  return 'suspect';
}

function readMeta(file: number, offset: number, sizeBytes: number, path: string): Meta {
  const damaged = (what: string) =>
    new DataDirectoryError('damaged', `${path} is damaged: ${what}; restore a backup, or move it away to start anew`);
  const meta = Buffer.alloc(metaReadBytes);
  if (readSync(file, meta, 0, metaReadBytes, offset) < metaReadBytes) throw damaged('it is too short');
  if (meta.readUInt32LE(metaAt.magic) !== lmdbMagic) throw damaged(`at ${offset} there is no lmdb meta page`);
  if (meta.readUInt32LE(metaAt.version) !== 2) throw damaged('its lmdb format version is not 2');
  const pageSize = meta.readUInt32LE(metaAt.pageSize);
  for (const root of [metaAt.freeRoot, metaAt.mainRoot]) {
    const page = meta.readBigUInt64LE(root);
    if (page !== noPage && (page + 1n) * BigInt(pageSize) > BigInt(sizeBytes)) {
      throw damaged('it ends before its own root page');
    }
  }
  return {
    pageSize,
    lastPage: meta.readBigUInt64LE(metaAt.lastPage),
    transaction: meta.readBigUInt64LE(metaAt.transaction),
  };
}
