import { type Collection, type Db, ObjectId } from 'mongodb';
import type { Clock } from '../../clock/clock.js';
import { DURABLE } from '../../db/connection-options.js';
import { BLOB_BLOCK_BYTES } from '../worm-store.js';
import { BLOCKS_A_BATCH, type BlobDriver, type DriverUpload, type StoredBlock } from './medium.js';

interface FileRow {
  readonly _id: string;
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly filename: string;
}

interface ChunkRow {
  readonly _id: ObjectId;
  readonly files_id: string;
  readonly n: number;
  readonly data: Buffer;
}

const FILES = 'worm_blobs.files';
const CHUNKS = 'worm_blobs.chunks';
const durable = { writeConcern: DURABLE } as const;
const SEEK = { files_id: 1, n: 1 } as const;

/**
 * Stores large content in GridFS's layout, one chunk per block, so that any GridFS tool can read it. Reads and writes chunk
 * by chunk, because the driver's download stream ends silently when a chunk is missing.
 */
export class GridFsBlobs implements BlobDriver {
  readonly #db: Db;
  readonly #retention: Db;
  readonly #clock: Clock;
  readonly #files: Collection<FileRow>;
  readonly #chunks: Collection<ChunkRow>;

  /** @param retention the same database under the only credential that may delete */
  constructor(db: Db, retention: Db, clock: Clock) {
    this.#db = db;
    this.#retention = retention;
    this.#clock = clock;
    this.#files = db.collection<FileRow>(FILES);
    this.#chunks = db.collection<ChunkRow>(CHUNKS, { promoteBuffers: true });
  }

  async prepare(): Promise<void> {
    await this.#db.collection(FILES).createIndex({ filename: 1, uploadDate: 1 });
    await this.#db.collection(CHUNKS).createIndex(SEEK, { unique: true });
  }

  room(): Buffer<ArrayBuffer> {
    return Buffer.allocUnsafe(BLOB_BLOCK_BYTES);
  }

  upload(fileId: string): DriverUpload {
    return {
      block: async (n, data) => void (await this.#chunks.insertOne(chunkOf(fileId, n, data), durable)),
      end: async (sizeBytes) => void (await this.#files.insertOne(this.#headOf(fileId, sizeBytes), durable)),
      release: async () => undefined,
    };
  }

  async storeSmall(files: readonly { readonly fileId: string; readonly bytes: Uint8Array }[]): Promise<void> {
    const chunks = files.flatMap(({ bytes, fileId }) =>
      bytes.length === 0 ? [] : [chunkOf(fileId, 0, Buffer.from(bytes))],
    );
    await Promise.all([
      chunks.length > 0 ? this.#chunks.insertMany(chunks, durable) : null,
      this.#files.insertMany(
        files.map(({ bytes, fileId }) => this.#headOf(fileId, bytes.length)),
        durable,
      ),
    ]);
  }

  blocks(fileId: string, first: number, last: number): AsyncIterable<StoredBlock> {
    const filter = { files_id: fileId, n: { $gte: first, $lte: last } };
    return this.#chunks.find(filter).sort(SEEK).batchSize(BLOCKS_A_BATCH);
  }

  async remove(fileId: string): Promise<void> {
    await this.#retention.collection<{ _id: string }>(FILES).deleteOne({ _id: fileId });
    await this.#retention.collection(CHUNKS).deleteMany({ files_id: fileId });
  }

  giveBack(): void {}

  async close(): Promise<void> {}

  /** Lists by chunks, because an upload that a crash ended has only chunks. */
  async *files(after: string, before: string): AsyncGenerator<string> {
    const chunks = this.#retention.collection<{ files_id: string }>(CHUNKS);
    for (let last = after; ; ) {
      const filter = { files_id: { $gt: last, $lt: before } };
      const next = await chunks.findOne(filter, { sort: SEEK, projection: { files_id: 1 } });
      if (!next) return;
      last = next.files_id;
      yield last;
    }
  }

  #headOf(fileId: string, length: number): FileRow {
    const uploadDate = new Date(this.#clock.nowMs());
    return { _id: fileId, length, chunkSize: BLOB_BLOCK_BYTES, uploadDate, filename: fileId };
  }
}

const chunkOf = (files_id: string, n: number, data: Buffer): ChunkRow => ({ _id: new ObjectId(), files_id, n, data });
