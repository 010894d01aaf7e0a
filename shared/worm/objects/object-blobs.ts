import { WritesInFlight } from '../blobs/in-flight.js';
import { BLOCKS_A_BATCH, type BlobDriver, type DriverUpload, type StoredBlock } from '../blobs/medium.js';
import { contentName } from '../keys/content-cipher.js';
import { BLOB_BLOCK_BYTES } from '../worm-store.js';
import type { Bucket } from './bucket.js';
import { ObjectUpload } from './object-upload.js';

/** Small contents that are stored at the same time. */
const PUTS_IN_FLIGHT = 16;

/** Stores each large content as an object of a bucket. keys/sealed-blobs.ts encrypts it before. */
export class ObjectBlobs implements BlobDriver {
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  async prepare(): Promise<void> {}

  room(): Buffer<ArrayBuffer> {
    return Buffer.allocUnsafe(BLOB_BLOCK_BYTES);
  }

  upload(fileId: string): DriverUpload {
    return new ObjectUpload(this.#bucket, contentName(fileId));
  }

  async storeSmall(files: readonly { readonly fileId: string; readonly bytes: Uint8Array }[]): Promise<void> {
    const puts = new WritesInFlight(PUTS_IN_FLIGHT);
    try {
      for (const { fileId, bytes } of files) await puts.add(() => this.#bucket.put(contentName(fileId), bytes));
      await puts.done();
    } finally {
      await puts.settled();
    }
  }

  async *blocks(fileId: string, first: number, last: number): AsyncGenerator<StoredBlock> {
    let next: Promise<Buffer | null> | null = this.#read(fileId, first, last);
    for (let from = first; from <= last && next !== null; from += BLOCKS_A_BATCH) {
      const stored: Buffer | null = await next;
      if (stored === null || stored.length === 0) return;
      const following = from + BLOCKS_A_BATCH;
      // Fetches the next range while the caller verifies this one.
      next = following <= last ? this.#read(fileId, following, last) : null;
      next?.catch(() => undefined);
      for (let at = 0; at < stored.length; at += BLOB_BLOCK_BYTES) {
        yield { n: from + at / BLOB_BLOCK_BYTES, data: stored.subarray(at, at + BLOB_BLOCK_BYTES) };
      }
    }
  }

  /** Conceals the object; its locked version stays until the term ends. */
  async remove(fileId: string): Promise<void> {
    await this.#bucket.conceal([contentName(fileId)]);
  }

  giveBack(): void {}

  async close(): Promise<void> {
    this.#bucket.close();
  }

  /** Lists nothing: the keys of the contents are the list. */
  async *files(): AsyncGenerator<string> {}

  #read(fileId: string, from: number, last: number): Promise<Buffer | null> {
    const blocks = Math.min(BLOCKS_A_BATCH, last - from + 1);
    return this.#bucket.read(contentName(fileId), from * BLOB_BLOCK_BYTES, blocks * BLOB_BLOCK_BYTES);
  }
}
