import { createHash } from 'node:crypto';
import { type Collection, type Db, ObjectId } from 'mongodb';
import type { Clock } from '../clock/clock.js';
import { sha256Hex } from '../crypto/hash.js';
import { DURABLE } from '../db/database.js';
import { duplicateKeyOf } from '../db/duplicate-key.js';
import { problem } from '../errors/problem.js';
import type { Ids } from '../ids/ids.js';
import { canonicalJson } from '../json/canonical.js';
import type { TenantSegments } from './tenant-segments.js';
import { BLOB_BLOCK_BYTES, type ByteRange, type WormBlob, type WormTenant } from './worm-store.js';

/** The commit point of a blob; without it a file is an unreferenced upload. */
interface BlobRow {
  readonly _id: { readonly tenant_id: string; readonly sha256: string };
  readonly file_id: string;
  readonly size: number;
  /** SHA-256 of each 1 MiB block. */
  readonly blocks: readonly string[];
}

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

export interface BlobDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Large content of one tenant in GridFS's own layout, one chunk = one block, so that any GridFS tool can read it back.
 * Written and read chunk by chunk here, because the driver's download stream ends silently when a chunk is missing.
 */
export class TenantBlobs {
  readonly #deps: BlobDeps;
  readonly #tenant: WormTenant;
  readonly #segments: TenantSegments;
  readonly #rows: Collection<BlobRow>;
  readonly #files: Collection<FileRow>;
  readonly #chunks: Collection<ChunkRow>;

  constructor(deps: BlobDeps, tenant: WormTenant, segments: TenantSegments) {
    this.#deps = deps;
    this.#tenant = tenant;
    this.#segments = segments;
    this.#rows = deps.db.collection<BlobRow>('blobs');
    this.#files = deps.db.collection<FileRow>('worm_blobs.files');
    this.#chunks = deps.db.collection<ChunkRow>('worm_blobs.chunks', { promoteBuffers: true });
  }

  static async prepare(db: Db): Promise<void> {
    await db.collection('worm_blobs.files').createIndex({ filename: 1, uploadDate: 1 });
    await db.collection('worm_blobs.chunks').createIndex({ files_id: 1, n: 1 }, { unique: true });
  }

  async put(content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<WormBlob> {
    const fileId = this.#deps.ids.next('blob');
    const whole = createHash('sha256');
    const blocks: string[] = [];
    let size = 0;
    let held: Buffer | null = null;
    for await (const block of blocksOf(content, maxBytes)) {
      whole.update(block);
      size += block.length;
      // The last block is held back, so that content of one block is known by its hash before anything is stored.
      if (held) await this.#store(fileId, blocks, held);
      held = block;
    }
    const sha256 = whole.digest('hex');
    const known = await this.#row(sha256);
    if (known) return { sha256, sizeBytes: known.size, created: false };
    if (held) await this.#store(fileId, blocks, held);
    await this.#storeFile(fileId, size);
    return this.#commit({ _id: { tenant_id: this.#tenant.tenantId, sha256 }, file_id: fileId, size, blocks });
  }

  async size(sha256: string): Promise<number | null> {
    return (await this.#row(sha256))?.size ?? null;
  }

  async *read(sha256: string, range?: ByteRange): AsyncGenerator<Buffer> {
    const row = await this.#row(sha256);
    if (!row) throw problem('NOT_FOUND');
    const start = range?.start ?? 0;
    const end = range?.end ?? row.size;
    if (start < 0 || end > row.size || start > end) throw problem('RANGE_NOT_SATISFIABLE');
    if (row.blocks.length !== Math.ceil(row.size / BLOB_BLOCK_BYTES)) throw damaged('the list of blocks is incomplete');
    if (start === end) return;
    const whole = start === 0 && end === row.size ? createHash('sha256') : null;
    const last = Math.floor((end - 1) / BLOB_BLOCK_BYTES);
    let n = Math.floor(start / BLOB_BLOCK_BYTES);
    const filter = { files_id: row.file_id, n: { $gte: n, $lte: last } };
    for await (const chunk of this.#chunks.find(filter).sort({ files_id: 1, n: 1 }).batchSize(2)) {
      const block = checkedBlock(row, chunk, n);
      whole?.update(block);
      // The whole digest is compared before the last bytes leave.
      if (n === last && whole && whole.digest('hex') !== sha256) throw damaged('the content does not hash to its name');
      const from = Math.max(start - n * BLOB_BLOCK_BYTES, 0);
      yield block.subarray(from, Math.min(end - n * BLOB_BLOCK_BYTES, block.length));
      n++;
    }
    if (n !== last + 1) throw damaged('blocks are missing at the end');
  }

  #row(sha256: string): Promise<BlobRow | null> {
    return this.#rows.findOne({ _id: { tenant_id: this.#tenant.tenantId, sha256 } });
  }

  async #store(fileId: string, blocks: string[], block: Buffer): Promise<void> {
    const chunk = { _id: new ObjectId(), files_id: fileId, n: blocks.length, data: block };
    blocks.push(sha256Hex(block));
    await this.#chunks.insertOne(chunk, { writeConcern: DURABLE });
  }

  async #storeFile(fileId: string, length: number): Promise<void> {
    const uploadDate = new Date(this.#deps.clock.nowMs());
    const file = { _id: fileId, length, chunkSize: BLOB_BLOCK_BYTES, uploadDate, filename: fileId };
    await this.#files.insertOne(file, { writeConcern: DURABLE });
  }

  async #commit(row: BlobRow): Promise<WormBlob> {
    const { sha256 } = row._id;
    try {
      await this.#rows.insertOne(row, { writeConcern: DURABLE });
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
      return { sha256, sizeBytes: row.size, created: false };
    }
    const { _id, ...rest } = row;
    const bytes = Buffer.from(canonicalJson({ ...rest, blocks: [...row.blocks], ..._id, kind: 'blob', v: 1 }));
    await this.#segments.put([{ sha256: sha256Hex(bytes), bytes }]);
    return { sha256, sizeBytes: row.size, created: true };
  }
}

const damaged = (internal: string): Error => problem('INTEGRITY_FAILURE', { internal });

function checkedBlock(row: BlobRow, chunk: ChunkRow, n: number): Buffer {
  const length = Math.min(BLOB_BLOCK_BYTES, row.size - n * BLOB_BLOCK_BYTES);
  if (chunk.n !== n || chunk.data.length !== length) throw damaged(`block ${n} is missing or cut`);
  if (sha256Hex(chunk.data) !== row.blocks[n]) throw damaged(`block ${n} does not match its hash`);
  return chunk.data;
}

/** Cuts a stream into blocks of 1 MiB, the last one shorter. @throws PAYLOAD_TOO_LARGE */
async function* blocksOf(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer> {
  let block = Buffer.allocUnsafe(BLOB_BLOCK_BYTES);
  let filled = 0;
  let total = 0;
  for await (const piece of content) {
    total += piece.length;
    if (total > maxBytes) throw problem('PAYLOAD_TOO_LARGE');
    for (let at = 0; at < piece.length; ) {
      const taken = Math.min(piece.length - at, BLOB_BLOCK_BYTES - filled);
      block.set(piece.subarray(at, at + taken), filled);
      at += taken;
      filled += taken;
      if (filled < BLOB_BLOCK_BYTES) continue;
      yield block;
      block = Buffer.allocUnsafe(BLOB_BLOCK_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}
