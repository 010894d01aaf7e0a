import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryError } from './data-directory-error.js';

/** Layout of an lmdb meta page (lmdb-js, data version 2): both of the first two pages hold one. */
const metaAt = { magic: 24, version: 28, pageSize: 48, freeRoot: 88, mainRoot: 136 } as const;
const lmdbMagic = 0xbeefc0de;
const metaReadBytes = 160;
const noPage = 0xffff_ffff_ffff_ffffn;

/** Files of other engines: their presence means the directory is somebody else's. */
const foreignFiles = ['WiredTiger', 'WiredTiger.wt', 'mongod.lock', 'storage.bson'];

/**
 * Looks at the data file before lmdb maps it: a mapped file that is cut short or garbled kills the process by a
 * signal, and a signal tells the operator nothing.
 */
export function checkDataFile(dataDir: string): void {
  for (const name of foreignFiles) {
    if (existsSync(join(dataDir, name))) {
      throw new DataDirectoryError('foreign', `${dataDir} holds the files of another database engine (${name})`);
    }
  }
  const path = join(dataDir, 'data.mdb');
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  try {
    const sizeBytes = fstatSync(file).size;
    checkMeta(file, 0, sizeBytes, path);
    checkMeta(file, 1, sizeBytes, path);
  } finally {
    closeSync(file);
  }
}

function checkMeta(file: number, page: number, sizeBytes: number, path: string): void {
  const damaged = (what: string) => new DataDirectoryError('damaged', `${path} is damaged: ${what}`);
  const meta = Buffer.alloc(metaReadBytes);
  const pageSize = page === 0 ? 0 : readPageSize(file);
  if (readSync(file, meta, 0, metaReadBytes, page * pageSize) < metaReadBytes) throw damaged('it is too short');
  if (meta.readUInt32LE(metaAt.magic) !== lmdbMagic) throw damaged(`page ${page} is not an lmdb meta page`);
  if (meta.readUInt32LE(metaAt.version) !== 2) throw damaged('its lmdb format version is not 2');
  for (const root of [metaAt.freeRoot, metaAt.mainRoot]) {
    const number = meta.readBigUInt64LE(root);
    const end = (number + 1n) * BigInt(meta.readUInt32LE(metaAt.pageSize));
    if (number !== noPage && end > BigInt(sizeBytes)) throw damaged('it ends before its own root page');
  }
}

function readPageSize(file: number): number {
  const bytes = Buffer.alloc(4);
  readSync(file, bytes, 0, 4, metaAt.pageSize);
  return bytes.readUInt32LE(0);
}
