import { type Database, open, type RootDatabase } from 'lmdb';
import { DataDirectoryError } from './data-directory-error.js';

/** First size of the memory map, virtual only: large enough that lmdb hardly ever has to map anew under its readers. */
const mapSizeBytes = 64 * 1024 ** 3;

export type Bytes = Database<Buffer, Buffer>;

/** The two stores of one data directory and the environment that holds them. */
export interface Environment {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly catalog: Bytes;
  readonly data: Bytes;
  close(): Promise<void>;
}

/** Opens (or makes) the database files in `dataDir`; refuses what is not ours. The caller owns the directory. */
export function openEnvironment(dataDir: string, mapSize = mapSizeBytes): Environment {
  const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
  // safeRestore: always reopen at the last *flushed* transaction. Missing in lmdb's type declaration.
  const options = { ...binary, path: dataDir, noSubdir: false, maxDbs: 4, mapSize, safeRestore: true };
  const root = open<Buffer, Buffer>(options);
  requireOurs(root, dataDir);
  return {
    root,
    catalog: root.openDB<Buffer, Buffer>('catalog', binary),
    data: root.openDB<Buffer, Buffer>('data', binary),
    close: () => root.close(),
  };
}

/** The root holds the names of the stores. Other names mean another program's file, which must not get ours added. */
function requireOurs(root: RootDatabase<Buffer, Buffer>, dataDir: string): void {
  const foreign = [...root.getKeys({ limit: 8 })]
    .map((key) => key.toString('utf8').replace(/\0$/, ''))
    .filter((name) => name !== 'catalog' && name !== 'data');
  if (foreign.length === 0) return;
  void root.close();
  throw new DataDirectoryError(
    'foreign',
    `${dataDir} holds an lmdb file of another program (with "${foreign[0]}"): give the database a folder of its own`,
  );
}
