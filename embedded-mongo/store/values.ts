import { MongoError } from '../errors.js';
import { type DataCipher, SealError } from './data-cipher.js';
import type { Bytes } from './environment.js';

/** The values of one store: as they are, or each sealed for its key. */
export interface Values {
  /** Valid until the next read: LMDB reuses the buffer. */
  lend(key: Buffer): Buffer | undefined;
  read(key: Buffer): Buffer | undefined;
  put(key: Buffer, value: Buffer): void;
  remove(key: Buffer): void;
  all(): Iterable<{ readonly key: Buffer; readonly value: Buffer }>;
}

export const plainValues = (store: Bytes): Values => ({
  // LMDB's buffer is longer than its length says; the view has the true length for native calls.
  lend: (key) => store.getBinaryFast(key)?.subarray(),
  read: (key) => store.getBinary(key),
  put: (key, value) => {
    store.putSync(key, value);
  },
  remove: (key) => {
    store.removeSync(key);
  },
  all: () => store.getRange({}),
});

/** @param name of the store; a value of one store is no value of another */
export function sealedValues(store: Bytes, name: string, cipher: DataCipher): Values {
  const place = placesOf(name);
  const open = (key: Buffer, sealed: Buffer): Buffer => {
    try {
      return cipher.open(place(key), sealed);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      throw new MongoError('UnknownError', `a value of the store "${name}" cannot be decrypted: ${error.message}`);
    }
  };
  const read = (key: Buffer): Buffer | undefined => {
    const sealed = store.getBinaryFast(key);
    return sealed && open(key, sealed.subarray());
  };
  return {
    lend: read,
    read,
    put: (key, value) => {
      store.putSync(key, cipher.seal(place(key), value));
    },
    remove: (key) => {
      store.removeSync(key);
    },
    *all() {
      for (const { key, value } of store.getRange({})) yield { key, value: open(key, value) };
    },
  };
}

/** Returns the associated data of a key: the name of the store, a zero byte, the key. */
export function placesOf(name: string): (key: Buffer) => Buffer {
  const prefix = Buffer.from(`${name}\0`);
  return (key) => Buffer.concat([prefix, key]);
}
