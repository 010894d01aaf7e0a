import type { Collection, Db, Filter } from 'mongodb';
import { DURABLE } from '../../db/database.js';
import { rawDocument } from '../../db/raw-fields.js';
import { codeOf } from '../durable-files.js';
import type { WormRecord } from '../worm-store.js';
import { decodeRecord, type RecordDocument } from './document.js';
import type { RecordMedium } from './medium.js';

const DUPLICATE_KEY = 11000;
const NAMESPACE_NOT_FOUND = 26;

/** Stores segments as capped collections (evidence.md section 4). */
export class MongoRecords implements RecordMedium {
  readonly #db: Db;
  readonly #retention: Db;

  /** @param retention the same database under the only credential that may delete */
  constructor(db: Db, retention: Db) {
    this.#db = db;
    this.#retention = retention;
  }

  async insert(segment: string, records: readonly WormRecord[]): Promise<void> {
    const documents = records.map(({ sha256, bytes, seed }) => ({
      _id: sha256,
      bytes: asBuffer(bytes),
      ...(seed === undefined ? {} : { seed: asBuffer(seed) }),
    }));
    try {
      await this.#collection(segment).insertMany(documents, { ordered: false, writeConcern: DURABLE });
    } catch (error) {
      if (!onlyDuplicates(error)) throw error;
    }
  }

  find(segment: string, sha256s: readonly string[]): Promise<readonly RecordDocument[]> {
    return this.#raw(segment, { _id: { $in: [...sha256s] } }, sha256s.length);
  }

  async present(segment: string, sha256s: readonly string[]): Promise<readonly string[]> {
    const cursor = this.#collection(segment).find({ _id: { $in: [...sha256s] } }, { projection: { _id: 1 } });
    return (await cursor.batchSize(sha256s.length + 1).toArray()).map(({ _id }) => _id);
  }

  records(segment: string, after: string | null, limit: number): Promise<readonly RecordDocument[]> {
    return this.#raw(segment, beyond(after), limit, { sort: { _id: 1 }, limit });
  }

  async names(segment: string, after: string | null, limit: number): Promise<readonly string[]> {
    const options = { projection: { _id: 1 }, sort: { _id: 1 }, limit, batchSize: limit + 1 } as const;
    const rows = await this.#collection(segment).find(beyond(after), options).toArray();
    return rows.map(({ _id }) => _id);
  }

  async *inOrder(segment: string): AsyncGenerator<string> {
    const documents = this.#collection(segment).find({}, { projection: { _id: 1 } });
    for await (const { _id } of documents) if (typeof _id === 'string') yield _id;
  }

  async drop(segment: string): Promise<void> {
    await this.#retention.dropCollection(segment).catch((error: unknown) => {
      if (codeOf(error) !== NAMESPACE_NOT_FOUND) throw error;
    });
  }

  async #raw(
    segment: string,
    filter: Filter<RecordDocument>,
    most: number,
    options: { readonly sort?: { readonly _id: 1 }; readonly limit?: number } = {},
  ): Promise<readonly RecordDocument[]> {
    const found = this.#collection(segment).find(filter, { ...options, raw: true, batchSize: most + 1 });
    return (await found.toArray()).map((raw) => decodeRecord(rawDocument(raw)));
  }

  #collection(segment: string): Collection<RecordDocument> {
    return this.#db.collection<RecordDocument>(segment);
  }
}

/** Names are texts: a document with another identifier is no record. */
const beyond = (after: string | null): Filter<RecordDocument> => ({ _id: { $gt: after ?? '' } });

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Returns true if all write errors are duplicates. An existing record is not an error: its name is its content. */
function onlyDuplicates(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { writeErrors }: { readonly writeErrors?: unknown } = error;
  const list: readonly unknown[] = Array.isArray(writeErrors) ? writeErrors : writeErrors ? [writeErrors] : [];
  return (list.length === 0 ? [error] : list).every((one) => codeOf(one) === DUPLICATE_KEY);
}
