import { BLOCKS_A_BATCH, type BlobMedium, type BlobUpload, type StoredBlock } from '../blobs/medium.js';
import type { BlockThreadPlace } from './block-messages.js';
import { BlockThread } from './block-thread.js';

/**
 * GridFS with a separate thread for large contents (docs/adr/0081). The driver makes two or three buffers per block. On the
 * main thread every 64 MiB of them caused a marking of the whole heap, which cost more than reading and hashing. The first
 * blocks of a content do not use the thread, so a small content does not start it.
 */
export class ThreadedBlobs implements BlobMedium {
  readonly #direct: BlobMedium;
  readonly #thread: BlockThread;

  constructor(direct: BlobMedium, place: BlockThreadPlace) {
    this.#direct = direct;
    this.#thread = new BlockThread(place);
  }

  prepare(): Promise<void> {
    return this.#direct.prepare();
  }

  room(): Buffer<ArrayBuffer> {
    return this.#thread.room();
  }

  upload(fileId: string): BlobUpload {
    const direct = this.#direct.upload(fileId);
    let first: Promise<unknown> = Promise.resolve();
    return {
      ...direct,
      block: (n, data) => {
        // The thread looks the key up, which the first block has made.
        if (n >= BLOCKS_A_BATCH) return first.then(() => this.#thread.write(fileId, n, data));
        const stored = direct.block(n, data);
        if (n === 0) first = stored;
        return stored;
      },
    };
  }

  storeSmall(files: readonly { readonly fileId: string; readonly bytes: Uint8Array }[]): Promise<void> {
    return this.#direct.storeSmall(files);
  }

  blocks(fileId: string, first: number, last: number): AsyncIterable<StoredBlock> {
    const isFew = last - first < BLOCKS_A_BATCH;
    return isFew ? this.#direct.blocks(fileId, first, last) : this.#thread.read(fileId, first, last);
  }

  remove(fileId: string): Promise<void> {
    return this.#direct.remove(fileId);
  }

  files(after: string, before: string): AsyncIterable<string> {
    return this.#direct.files(after, before);
  }

  giveBack(data: Buffer): void {
    this.#thread.giveBack(data);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
