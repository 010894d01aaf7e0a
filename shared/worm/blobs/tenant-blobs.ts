import { createHash } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { Clock } from '../../clock/clock.js';
import { sha256Hex } from '../../crypto/hash.js';
import { DURABLE } from '../../db/database.js';
import { duplicateKeyOf } from '../../db/duplicate-key.js';
import { problem } from '../../errors/problem.js';
import type { Ids } from '../../ids/ids.js';
import { canonicalJson } from '../../json/canonical.js';
import type { TenantSegments } from '../segments/tenant-segments.js';
import {
  BLOB_BLOCK_BYTES,
  type ByteRange,
  type StoredBlobs,
  type WormBlob,
  type WormRecord,
  type WormTenant,
} from '../worm-store.js';
import { BlobGroups } from './groups.js';
import { readAhead, WritesInFlight } from './in-flight.js';
import { BLOCKS_A_BATCH, type BlobMedium, type StoredBlock } from './medium.js';
import { CLAIM_COLLECTION, type ClaimRow } from './removal.js';

/** Blocks of one upload that are written at the same time; bounds the memory of an upload. */
const BLOCKS_IN_FLIGHT = 8;

/** Contents up to this size are stored in groups. */
const GROUPED_BYTES = 262_144;
/** Size of the first buffer; most contents are small. */
const FIRST_ROOM_BYTES = 65_536;

/** Commits a blob; a file without this row is an unreferenced upload. */
export interface BlobRow {
  readonly _id: { readonly tenant_id: string; readonly sha256: string };
  readonly file_id: string;
  readonly size: number;
  /** SHA-256 of each 1 MiB block. */
  readonly blocks: readonly string[];
  /** Mark of a running removal; see removal.ts. */
  readonly doomed_by?: string;
}

interface BlobDeps {
  /** Database of the blob rows. */
  readonly db: Db;
  readonly medium: BlobMedium;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The large contents of one tenant: files of a medium, and a row that commits each file. */
export class TenantBlobs {
  readonly #deps: BlobDeps;
  readonly #tenant: WormTenant;
  readonly #segments: Pick<TenantSegments, 'put'>;
  readonly #rows: Collection<BlobRow>;
  /** Stored rows without a record: its write runs or has failed. Their contents are not reported before it exists. */
  readonly #unrecorded = new Map<string, BlobRow>();
  readonly #groups = new BlobGroups((contents) => this.putSmall(contents));

  constructor(deps: BlobDeps, tenant: WormTenant, segments: Pick<TenantSegments, 'put'>) {
    this.#deps = deps;
    this.#tenant = tenant;
    this.#segments = segments;
    this.#rows = deps.db.collection<BlobRow>('blobs');
  }

  static async prepare(db: Db): Promise<void> {
    await db.collection(CLAIM_COLLECTION).createIndex({ tenant_id: 1, sha256: 1, at: -1 });
    await db.collection('blobs').createIndex({ file_id: 1 });
  }

  async put(content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<WormBlob> {
    const fileId = this.#deps.ids.next('blob');
    const upload = this.#deps.medium.upload(fileId);
    const whole = createHash('sha256');
    const blocks: string[] = [];
    let stored = 0;
    const store = (n: number, block: Buffer<ArrayBuffer>): Promise<void> =>
      writes.add(async () => {
        blocks[n] = await upload.block(n, block);
      });
    const writes = new WritesInFlight(BLOCKS_IN_FLIGHT);
    let size = 0;
    let held: Buffer<ArrayBuffer> | null = null;
    try {
      for await (const block of blocksOf(content, maxBytes, () => this.#deps.medium.room())) {
        whole.update(block);
        size += block.length;
        // Holds the last block back, so that the hash of a one-block content is known before anything is stored.
        if (held) await store(stored++, held);
        held = block;
      }
      if (stored === 0 && size <= GROUPED_BYTES) return await this.#groups.put(held ?? Buffer.alloc(0));
      const sha256 = whole.digest('hex');
      const known = await this.#row(sha256);
      if (known) return await this.#found(known);
      if (held) await store(stored, held);
      await writes.add(() => upload.end(size));
      // All bytes are on disk before the row commits them.
      await writes.done();
      return await this.#commit({ _id: { tenant_id: this.#tenant.tenantId, sha256 }, file_id: fileId, size, blocks });
    } finally {
      await writes.settled();
      await upload.release();
    }
  }

  /** Stores contents of at most one block each: many cost the writes of one. */
  async putSmall(contents: readonly Uint8Array[]): Promise<StoredBlobs> {
    if (contents.some(({ length }) => length > BLOB_BLOCK_BYTES)) throw problem('PAYLOAD_TOO_LARGE');
    const named = contents.map((bytes) => ({ sha256: sha256Hex(bytes), bytes }));
    const wanted = new Map(named.map(({ sha256, bytes }) => [sha256, bytes]));
    const known = await this.#rows.find({ _id: { $in: this.#idsOf(wanted.keys()) } }).toArray();
    for (const { _id } of await this.#claimed(known)) wanted.delete(_id.sha256);
    const rows = await this.#putNew(wanted);
    const created = new Set(rows.map(({ _id }) => _id.sha256));
    const blobs = named.map(({ sha256, bytes }) => ({
      sha256,
      sizeBytes: bytes.length,
      created: created.delete(sha256),
    }));
    const recorded = this.#record(rows);
    // A failure before the caller awaits must not count as unhandled.
    recorded.catch(() => {});
    return { blobs, recorded };
  }

  /** @returns the rows that this call created */
  async #putNew(contents: ReadonlyMap<string, Uint8Array>): Promise<readonly BlobRow[]> {
    const files = [...contents].map(([sha256, bytes]) => ({ sha256, bytes, fileId: this.#deps.ids.next('blob') }));
    if (files.length === 0) return [];
    await this.#deps.medium.storeSmall(files);
    const rows = files.map(({ sha256, bytes, fileId }) => this.#smallRow(sha256, bytes, fileId));
    try {
      await this.#rows.insertMany(rows, { writeConcern: DURABLE, ordered: false });
      return rows;
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
    // Another writer has stored some of the same bytes: the existing row names the file that counts.
    const ours = new Set(files.map(({ fileId }) => fileId));
    const standing = await this.#rows.find({ _id: { $in: rows.map(({ _id }) => _id) } }).toArray();
    await this.#claimed(standing.filter((row) => !ours.has(row.file_id)));
    return standing.filter((row) => ours.has(row.file_id));
  }

  #idsOf(hashes: Iterable<string>): BlobRow['_id'][] {
    return [...hashes].map((sha256) => ({ tenant_id: this.#tenant.tenantId, sha256 }));
  }

  #smallRow(sha256: string, bytes: Uint8Array, file_id: string): BlobRow {
    const blocks = bytes.length === 0 ? [] : [sha256];
    return { _id: { tenant_id: this.#tenant.tenantId, sha256 }, file_id, size: bytes.length, blocks };
  }

  async size(sha256: string): Promise<number | null> {
    return (await this.#row(sha256))?.size ?? null;
  }

  /** Returns the stored ones of these hashes. */
  async present(sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    if (sha256s.length === 0) return new Set();
    const filter = { _id: { $in: this.#idsOf(sha256s) } };
    const options = { projection: { _id: 1 }, batchSize: sha256s.length + 1 } as const;
    return new Set((await this.#rows.find(filter, options).toArray()).map(({ _id }) => _id.sha256));
  }

  /** @param isLent true if the reader no longer uses a chunk when it asks for the next */
  async *read(sha256: string, range?: ByteRange, { isLent = false } = {}): AsyncGenerator<Buffer> {
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
    const stored = this.#deps.medium.blocks(row.file_id, n, last);
    for await (const chunk of readAhead(stored, BLOCKS_A_BATCH)) {
      const block = checkedBlock(row, chunk, n);
      whole?.update(block);
      // Compares the whole digest before it yields the last bytes.
      if (n === last && whole && whole.digest('hex') !== sha256) throw damaged('the content does not hash to its name');
      const from = Math.max(start - n * BLOB_BLOCK_BYTES, 0);
      yield block.subarray(from, Math.min(end - n * BLOB_BLOCK_BYTES, block.length));
      if (isLent) this.#deps.medium.giveBack(block);
      n++;
    }
    if (n !== last + 1) throw damaged('blocks are missing at the end');
  }

  #row(sha256: string): Promise<BlobRow | null> {
    return this.#rows.findOne({ _id: { tenant_id: this.#tenant.tenantId, sha256 } });
  }

  /** Claims a stored blob before a record refers to it; from then on it is not deleted. */
  async #found({ _id: { sha256 }, size }: BlobRow): Promise<WormBlob> {
    await this.#claim([sha256]);
    const row = await this.#row(sha256);
    if (row === null || row.doomed_by !== undefined) throw beingRemoved();
    return { sha256, sizeBytes: size, created: false };
  }

  async #claimed(rows: readonly BlobRow[]): Promise<readonly BlobRow[]> {
    if (rows.length === 0) return rows;
    const hashes = rows.map(({ _id }) => _id.sha256);
    await this.#claim(hashes);
    const standing = await this.#rows.find({ _id: { $in: this.#idsOf(hashes) } }).toArray();
    if (standing.some(({ doomed_by }) => doomed_by !== undefined)) throw beingRemoved();
    return standing;
  }

  async #claim(hashes: readonly string[]): Promise<void> {
    await this.#recordMissing(hashes);
    const { ids, clock, db } = this.#deps;
    const at = new Date(clock.nowMs());
    const tenant_id = this.#tenant.tenantId;
    const claims = hashes.map((sha256): ClaimRow => ({ _id: ids.next('blob'), tenant_id, sha256, at }));
    await db.collection<ClaimRow>(CLAIM_COLLECTION).insertMany(claims, { writeConcern: DURABLE });
  }

  async #commit(row: BlobRow): Promise<WormBlob> {
    const { sha256 } = row._id;
    try {
      await this.#rows.insertOne(row, { writeConcern: DURABLE });
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
      return this.#found(row);
    }
    await this.#record([row]);
    return { sha256, sizeBytes: row.size, created: true };
  }

  /** Stores the records of new rows. They name new files, so no equal record exists. */
  async #record(rows: readonly BlobRow[]): Promise<void> {
    for (const row of rows) this.#unrecorded.set(row._id.sha256, row);
    await this.#segments.put(rows.map(recordOf), { fresh: true });
    for (const { _id } of rows) this.#unrecorded.delete(_id.sha256);
  }

  /** Stores the records that are still missing. They are made of the rows as written, never of rows as read. */
  async #recordMissing(hashes: readonly string[]): Promise<void> {
    const rows = hashes.flatMap((sha256) => this.#unrecorded.get(sha256) ?? []);
    if (rows.length === 0) return;
    await this.#segments.put(rows.map(recordOf));
    for (const { _id } of rows) this.#unrecorded.delete(_id.sha256);
  }
}

/** Makes the record of a blob in its tenant's segments. */
function recordOf({ _id, doomed_by: _, ...rest }: BlobRow): WormRecord {
  const bytes = Buffer.from(canonicalJson({ ...rest, blocks: [...rest.blocks], ..._id, kind: 'blob', v: 1 }));
  return { sha256: sha256Hex(bytes), bytes };
}

const beingRemoved = (): Error =>
  problem('UNAVAILABLE', { internal: 'the same bytes are being disposed of at this moment' });

const damaged = (internal: string): Error => problem('INTEGRITY_FAILURE', { internal });

function checkedBlock(row: BlobRow, chunk: StoredBlock, n: number): Buffer {
  const length = Math.min(BLOB_BLOCK_BYTES, row.size - n * BLOB_BLOCK_BYTES);
  if (chunk.n !== n || chunk.data.length !== length) throw damaged(`block ${n} is missing or cut`);
  if (sha256Hex(chunk.data) !== row.blocks[n]) throw damaged(`block ${n} does not match its hash`);
  return chunk.data;
}

/** Cuts a stream into blocks of 1 MiB, the last one shorter. @throws PAYLOAD_TOO_LARGE */
async function* blocksOf(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
  room: () => Buffer<ArrayBuffer>,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  let block: Buffer<ArrayBuffer> = Buffer.allocUnsafe(FIRST_ROOM_BYTES);
  let filled = 0;
  let total = 0;
  for await (const piece of content) {
    total += piece.length;
    if (total > maxBytes) throw problem('PAYLOAD_TOO_LARGE');
    if (filled + piece.length > block.length && block.length < BLOB_BLOCK_BYTES) {
      const whole = room();
      whole.set(block.subarray(0, filled));
      block = whole;
    }
    for (let at = 0; at < piece.length; ) {
      const taken = Math.min(piece.length - at, BLOB_BLOCK_BYTES - filled);
      block.set(piece.subarray(at, at + taken), filled);
      at += taken;
      filled += taken;
      if (filled < BLOB_BLOCK_BYTES) continue;
      yield block;
      block = room();
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}
