import { open } from 'lmdb';
import { compileKeys } from '../../embedded-mongo/keystring/extract.js';
import { EVENT_INDEXES } from './events.js';

/** One put of the raw side. */
export interface Put {
  readonly key: Buffer;
  readonly value: Buffer;
}

export interface RawStore {
  /** One durable transaction. */
  commit(documents: readonly (readonly Put[])[]): void;
  close(): Promise<void>;
}

/** Opens lmdb with the embedded database's options. */
export function openRaw(path: string): RawStore {
  const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
  const root = open<Buffer, Buffer>({ ...binary, path, noSubdir: false, maxDbs: 4, mapSize: 64 * 1024 ** 3 });
  const data = root.openDB<Buffer, Buffer>('data', binary);
  return {
    commit: (documents) =>
      root.transactionSync(() => {
        for (const puts of documents) for (const { key, value } of puts) data.putSync(key, value);
      }),
    close: () => root.close(),
  };
}

const RECORDS = 1;
const ID_INDEX = 2;
const FIRST_INDEX = 3;
const noBytes = Buffer.alloc(0);
const fieldsOf = (key: Readonly<Record<string, 1 | -1>>) =>
  Object.entries(key).map(([path, direction]) => ({ path, direction }));
const idKeys = compileKeys([{ path: '_id', direction: 1 }]);
const indexKeys = EVENT_INDEXES.map((index) => ({
  unique: 'unique' in index,
  keysOf: compileKeys(fieldsOf(index.key)),
}));

/** Makes the same puts as the database for a document with these indexes: the record, `_id` and three entries. */
export function putsOf(raw: Buffer, rid: number): Put[] {
  const ridBytes = Buffer.alloc(8);
  ridBytes.writeBigUInt64BE(BigInt(rid));
  const puts = [{ key: Buffer.concat([prefix(RECORDS), ridBytes]), value: raw }];
  for (const key of idKeys(raw).keys) puts.push({ key: Buffer.concat([prefix(ID_INDEX), key]), value: ridBytes });
  indexKeys.forEach(({ unique, keysOf }, i) => {
    for (const key of keysOf(raw).keys) {
      const entry = [prefix(FIRST_INDEX + i), key];
      puts.push(
        unique
          ? { key: Buffer.concat(entry), value: ridBytes }
          : { key: Buffer.concat([...entry, ridBytes]), value: noBytes },
      );
    }
  });
  return puts;
}

function prefix(id: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return bytes;
}
