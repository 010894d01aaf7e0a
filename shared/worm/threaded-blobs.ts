import { BLOCKS_A_BATCH, type BlobMedium, type BlobUpload, type StoredBlock } from './blob-medium.js';
import type { BlockThreadPlace } from './block-messages.js';
import { BlockThread } from './block-thread.js';
import type { GridFsBlobs } from './gridfs-blobs.js';

/**
 * GridFS whose large contents pass through a thread of their own (docs/adr/0081). The driver makes two or three buffers of
 * every block; on the main thread each 64 MiB of them had the whole heap marked, which cost more than reading and hashing.
 * The first blocks of a content, and all of a small one, go the direct way: no thread is started for them.
 */
export class ThreadedBlobs implements BlobMedium {
  readonly #direct: GridFsBlobs;
  readonly #thread: BlockThread;

  constructor(direct: GridFsBlobs, place: BlockThreadPlace) {
    this.#direct = direct;
    this.#thread = new BlockThread(place);
  }

  prepare(): Promise<void> {
    return this.#direct.prepare();
  }

  room(): Buffer {
    return this.#thread.room();
  }

  upload(fileId: string): BlobUpload {
    const direct = this.#direct.upload(fileId);
    return {
      ...direct,
      block: (n, data) => (n < BLOCKS_A_BATCH ? direct.block(n, data) : this.#thread.write(fileId, n, data)),
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
