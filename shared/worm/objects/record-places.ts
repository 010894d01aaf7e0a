import type { Collection, Db, Filter } from 'mongodb';
import { DURABLE } from '../../db/database.js';
import { duplicateKeyOf } from '../../db/duplicate-key.js';

/** Position of a record in the objects of a segment. */
export interface ObjectPlace {
  readonly sha256: string;
  readonly part: string;
  /** Offset of the record's first byte in the decrypted object. */
  readonly at: number;
  readonly length: number;
}

interface PlaceRow {
  readonly _id: { readonly segment: string; readonly sha256: string };
  readonly part: string;
  readonly at: number;
  readonly length: number;
}

/** Greater than every hash. */
const AFTER_ALL_HASHES = 'g';

/**
 * The places of records in the objects of segments. A list of a bucket does not say what its objects hold, and a segment may
 * have a hundred thousand objects.
 */
export class RecordPlaceRows {
  readonly #rows: Collection<PlaceRow>;
  readonly #taken: Collection<PlaceRow>;

  /** @param retention the same database under the only credential that may delete */
  constructor(db: Db, retention: Db) {
    this.#rows = db.collection<PlaceRow>('worm_places');
    this.#taken = retention.collection<PlaceRow>('worm_places');
  }

  async prepare(): Promise<void> {
    await this.#rows.createIndex({ '_id.segment': 1, part: 1, at: 1 });
  }

  /** Adds places, durable when it resolves; keeps the first place of a record. */
  async add(segment: string, places: readonly ObjectPlace[]): Promise<void> {
    const rows = places.map(({ sha256, ...place }): PlaceRow => ({ _id: { segment, sha256 }, ...place }));
    try {
      await this.#rows.insertMany(rows, { ordered: false, writeConcern: DURABLE });
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
  }

  find(segment: string, sha256s: readonly string[]): Promise<readonly ObjectPlace[]> {
    return this.#read({ _id: { $in: sha256s.map((sha256) => ({ segment, sha256 })) } }, sha256s.length);
  }

  /** Returns the first `limit` places after that hash, in order of hashes. */
  after(segment: string, sha256: string | null, limit: number): Promise<readonly ObjectPlace[]> {
    const range = { $gt: { segment, sha256: sha256 ?? '' }, $lt: { segment, sha256: AFTER_ALL_HASHES } };
    return this.#read({ _id: range }, limit);
  }

  /** Lists all hashes in the order of the objects. */
  async *inOrder(segment: string): AsyncGenerator<string> {
    const rows = this.#rows.find({ '_id.segment': segment }, { projection: { _id: 1 } });
    for await (const { _id } of rows.sort({ '_id.segment': 1, part: 1, at: 1 })) yield _id.sha256;
  }

  async drop(segment: string): Promise<void> {
    await this.#taken.deleteMany({ '_id.segment': segment }, { writeConcern: DURABLE });
  }

  async #read(filter: Filter<PlaceRow>, limit: number): Promise<readonly ObjectPlace[]> {
    const rows = await this.#rows.find(filter, { sort: { _id: 1 }, limit, batchSize: limit + 1 }).toArray();
    return rows.map(({ _id, part, at, length }) => ({ sha256: _id.sha256, part, at, length }));
  }
}
