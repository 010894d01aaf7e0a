import type { Collection, Db } from 'mongodb';
import { DURABLE } from '../../db/connection-options.js';
import type { BlobDriver } from '../blobs/medium.js';
import type { BlobRow } from '../blobs/tenant-blobs.js';
import type { RecordMedium } from '../records/medium.js';
import type { SegmentRow } from '../segments/directory.js';
import type { SegmentRotator } from '../segments/rotator.js';
import { BLOB_BLOCK_BYTES } from '../worm-store.js';
import { contentName, crypted, objectKey, RecordCipher } from './content-cipher.js';
import { type ContentKeys, copyName } from './content-keys.js';
import { sealedRecord } from './sealed-records.js';

/** Rows that are read in one batch. */
const BATCH_ROWS = 500;
/** Records that are copied in one batch; each has up to 1 MiB. */
const BATCH_RECORDS = 32;

export interface EncryptionDeps {
  readonly db: Db;
  readonly keys: ContentKeys;
  readonly blobs: BlobDriver;
  readonly records: RecordMedium;
  /** Opens and seals segments of this capacity. */
  readonly rotatorFor: (segment: SegmentRow) => SegmentRotator;
  /** Gets the number of contents and segments that are done. */
  readonly report: (done: number) => void;
}

export interface EncryptedStore {
  readonly contents: number;
  readonly segments: number;
  /** Contents and segments that are damaged and stay in clear. */
  readonly left: readonly string[];
}

/**
 * Encrypts what an earlier version stored in clear. Each content and each segment gets an encrypted copy; the row of its key
 * switches to the copy at once; then the bytes in clear are deleted. A run that broke off is run again. Nothing else may use the
 * store during the run.
 */
export async function encryptStore(deps: EncryptionDeps): Promise<EncryptedStore> {
  const run = new Encryption(deps);
  await run.contents();
  await run.segments();
  return run.result();
}

class Encryption {
  readonly #deps: EncryptionDeps;
  #contents = 0;
  #segments = 0;
  readonly #left: string[] = [];

  constructor(deps: EncryptionDeps) {
    this.#deps = deps;
  }

  result(): EncryptedStore {
    return { contents: this.#contents, segments: this.#segments, left: this.#left };
  }

  async contents(): Promise<void> {
    const { db, keys, blobs } = this.#deps;
    const rows: Collection<BlobRow> = db.collection<BlobRow>('blobs');
    for await (const row of rowsOf(rows)) {
      const known = await keys.read(row.file_id);
      if (known === null && (await this.#copyContent(row))) this.#contents++;
      // Deletes also what a run left that broke off after the switch.
      const isSwitched = known === null ? !this.#left.includes(row.file_id) : known.isCopy;
      if (isSwitched) await blobs.remove(row.file_id);
      this.#tellProgress();
    }
  }

  async segments(): Promise<void> {
    const { db, keys, records } = this.#deps;
    const rows = db.collection<SegmentRow>('worm_segments');
    for await (const row of rowsOf(rows)) {
      if (row.state === 'DROPPED') continue;
      const known = await keys.read(row._id);
      if (known === null && (await this.#copySegment(rows, row))) this.#segments++;
      const isSwitched = known === null ? !this.#left.includes(row._id) : known.isCopy;
      if (isSwitched) await records.drop(row._id);
      this.#tellProgress();
    }
  }

  async #copyContent({ file_id, size, blocks }: BlobRow): Promise<boolean> {
    const { keys, blobs } = this.#deps;
    const copy = copyName(file_id);
    await blobs.remove(copy);
    const { key, switchTo } = keys.newCopy(file_id);
    const own = objectKey(key, contentName(file_id));
    const upload = blobs.upload(copy);
    try {
      let stored = 0;
      let length = 0;
      for await (const { n, data } of blobs.blocks(file_id, 0, Math.max(blocks.length - 1, 0))) {
        if (n !== stored) break;
        await upload.block(n, crypted(own, n * BLOB_BLOCK_BYTES, data));
        length += data.length;
        stored++;
      }
      if (stored !== blocks.length || length !== size) return this.#leave(file_id);
      if (stored > 0) await upload.end(size);
      else await blobs.storeSmall([{ fileId: copy, bytes: Buffer.alloc(0) }]);
    } finally {
      await upload.release();
    }
    await switchTo();
    return true;
  }

  /** Copies the records in their order, also damaged ones: verification still names them. */
  async #copySegment(rows: Collection<SegmentRow>, row: SegmentRow): Promise<boolean> {
    const { keys, records, rotatorFor } = this.#deps;
    const [segment, copy] = [row._id, copyName(row._id)];
    if (row.state === 'OPEN')
      await rows.updateOne({ _id: segment }, { $set: { state: 'FULL' } }, { writeConcern: DURABLE });
    await records.drop(copy);
    const rotator = rotatorFor(row);
    await rotator.open(copy);
    const { key, switchTo } = keys.newCopy(segment);
    const cipher = new RecordCipher(key);
    let count = 0;
    for await (const names of batchesOf(records.inOrder(segment))) {
      const found = new Map((await records.find(segment, names)).map((record) => [record._id, record]));
      const sealed = names.flatMap((sha256) => {
        const record = found.get(sha256);
        return record === undefined ? [] : [sealedRecord(cipher, { sha256, ...record })];
      });
      count += names.length;
      if (sealed.length > 0) await records.insert(copy, sealed);
    }
    let copied = 0;
    for await (const _ of records.inOrder(copy)) copied++;
    if (copied !== count) return this.#leave(segment);
    if (row.state === 'SEALED') await rotator.seal(copy);
    await switchTo();
    return true;
  }

  #leave(name: string): false {
    this.#left.push(name);
    return false;
  }

  #tellProgress(): void {
    this.#deps.report(this.#contents + this.#segments);
  }
}

async function* rowsOf<T extends { readonly _id: unknown }>(rows: Collection<T>): AsyncGenerator<T> {
  // A walk by identifier, so that a long pause between two rows ends no cursor.
  for (let last: unknown = null; ; ) {
    const after = last === null ? {} : { _id: { $gt: last } };
    // The driver's filter type does not know that the rows have this identifier.
    const batch = (await rows
      .find(after as object, { sort: { _id: 1 }, limit: BATCH_ROWS })
      .toArray()) as unknown as T[];
    yield* batch;
    const final = batch.at(-1);
    if (final === undefined) return;
    last = final._id;
  }
}

async function* batchesOf(names: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const name of names) {
    batch.push(name);
    if (batch.length < BATCH_RECORDS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
