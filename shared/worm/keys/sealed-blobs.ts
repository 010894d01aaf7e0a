import { sha256Hex } from '../../crypto/hash.js';
import type { BlobDriver, BlobMedium, BlobUpload, StoredBlock } from '../blobs/medium.js';
import { BLOB_BLOCK_BYTES } from '../worm-store.js';
import { contentName, crypted, objectKey } from './content-cipher.js';
import { type ContentKeys, copyName, isCopyName } from './content-keys.js';

/** Earlier removals that one removal completes. */
const COMPLETED_AT_ONCE = 16;

/**
 * Hashes and encrypts the blocks of contents over any driver, each content under a separate key. Contents without a key were
 * stored in clear by an earlier version, and are read as they are.
 */
export class SealedBlobs implements BlobMedium {
  readonly #driver: BlobDriver;
  readonly #keys: ContentKeys | null;

  /** @param keys null stores in clear */
  constructor(driver: BlobDriver, keys: ContentKeys | null) {
    this.#driver = driver;
    this.#keys = keys;
  }

  async prepare(): Promise<void> {
    await this.#keys?.prepare();
    await this.#driver.prepare();
  }

  room(): Buffer<ArrayBuffer> {
    return this.#driver.room();
  }

  upload(fileId: string): BlobUpload {
    const inner = this.#driver.upload(fileId);
    let key: Promise<Buffer | null> | null = null;
    // Blocks and the end await one promise, so they reach the driver in the order of the calls.
    const keyFrom = (n: number): Promise<Buffer | null> => (key ??= this.#keyToWrite(fileId, n));
    return {
      block: async (n, data) => {
        const own = keyFrom(n);
        own.catch(() => undefined);
        const sha256 = sha256Hex(data);
        const root = await own;
        await inner.block(n, root === null ? data : crypted(root, n * BLOB_BLOCK_BYTES, data));
        return sha256;
      },
      end: async (sizeBytes) => {
        await keyFrom(0);
        await inner.end(sizeBytes);
      },
      release: () => inner.release(),
    };
  }

  async storeSmall(files: readonly { readonly fileId: string; readonly bytes: Uint8Array }[]): Promise<void> {
    const keys = await this.#keys?.make(files.map(({ fileId }) => fileId));
    if (keys === undefined) return this.#driver.storeSmall(files);
    const sealed = files.map(({ fileId, bytes }, n) => {
      const key = keys[n];
      if (key === undefined) throw new Error('a content without a key');
      return { fileId, bytes: crypted(objectKey(key, contentName(fileId)), 0, bytes) };
    });
    await this.#driver.storeSmall(sealed);
  }

  /** A content without its key has no blocks. */
  async *blocks(fileId: string, first: number, last: number): AsyncGenerator<StoredBlock> {
    const known = (await this.#keys?.known(fileId)) ?? null;
    if (known === null) return yield* this.#driver.blocks(fileId, first, last);
    if (known.key === null) return;
    const key = objectKey(known.key, contentName(fileId));
    const stored = this.#driver.blocks(known.isCopy ? copyName(fileId) : fileId, first, last);
    for await (const { n, data } of stored) yield { n, data: crypted(key, n * BLOB_BLOCK_BYTES, data) };
  }

  /** Destroys the key, deletes the bytes, and completes removals that broke off before. */
  async remove(fileId: string): Promise<void> {
    if (this.#keys === null) return this.#driver.remove(fileId);
    await this.#keys.destroy(fileId);
    const earlier = await this.#keys.unfinished(COMPLETED_AT_ONCE);
    for (const each of new Set([fileId, ...earlier.filter(isContent)])) {
      if ((await this.#keys.read(each))?.isCopy === true) await this.#driver.remove(copyName(each));
      await this.#driver.remove(each);
      await this.#keys.forget(each);
    }
  }

  giveBack(data: Buffer): void {
    this.#driver.giveBack(data);
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  /** Lists also by keys: a key is stored before its bytes, and a bucket lists nothing. */
  async *files(after: string, before: string): AsyncGenerator<string> {
    const keyed = this.#keys?.named(after, before) ?? [];
    for await (const fileId of merged(this.#driver.files(after, before), keyed)) {
      if (!isCopyName(fileId)) yield fileId;
    }
  }

  async #keyToWrite(fileId: string, n: number): Promise<Buffer | null> {
    if (this.#keys === null) return null;
    // The first block makes the key; another thread of the upload finds it.
    const root = n === 0 ? (await this.#keys.make([fileId]))[0] : (await this.#keys.known(fileId))?.key;
    if (root === undefined || root === null) throw new Error('a content without a key');
    return objectKey(root, contentName(fileId));
  }
}

/** A segment with a destroyed key is completed by its own drop. */
const isContent = (name: string): boolean => name.startsWith('blb_');

/** Merges two sorted lists; an item of both comes once. */
async function* merged(a: AsyncIterable<string>, b: AsyncIterable<string> | readonly string[]): AsyncGenerator<string> {
  const [left, right] = [a[Symbol.asyncIterator](), asyncOf(b)];
  let [one, other] = [await left.next(), await right.next()];
  while (one.done !== true || other.done !== true) {
    const isLeft = other.done === true || (one.done !== true && one.value <= other.value);
    const value: string = isLeft ? one.value : other.value;
    yield value;
    if (one.done !== true && one.value === value) one = await left.next();
    if (other.done !== true && other.value === value) other = await right.next();
  }
}

async function* asyncOf(items: AsyncIterable<string> | readonly string[]): AsyncGenerator<string> {
  yield* items;
}
