import type { Collection, Db, Document } from 'mongodb';
import { DURABLE } from '../db/connection-options.js';
import { type DuplicateKey, duplicateKeyOf } from '../db/duplicate-key.js';
import { keysetQuery } from '../db/keyset.js';
import type { EffectRelay } from '../outbox/outbox.js';
import type { Effect, PendingEffect } from '../outbox/pending-effect.js';
import { type Page, pageOf } from '../pagination/cursor.js';
import type { DeclaredCollection } from './collections.js';
import type { ListQuery } from './records.js';

/** A row as the driver holds it: `_id` is the identifier, `pending` the effects that wait. */
export interface RowDocument extends Document {
  readonly _id: string;
}

/** A document with the effects of its insertion. */
export interface CommitDocument<E> extends RowDocument {
  readonly pending: readonly E[];
}

interface RowStoreOptions<Row> {
  readonly collection: DeclaredCollection;
  /** Name of the identifier in the row: `actor_id`. */
  readonly id: keyof Row & string;
  /** Members that only the document has. */
  readonly hidden?: readonly string[];
  /** Members that rows of earlier versions lack. */
  readonly defaults?: Partial<Row>;
  /** Members with a partial unique index: null in the row, absent in the document. */
  readonly sparse?: readonly (keyof Row & string)[];
  /** Called after each commit and before its effects, so that caches of this process drop the row. */
  readonly committed?: ((row: Row) => void) | undefined;
}

export interface RowStoreDeps {
  readonly db: Db;
  /** Performs the effects of a commit at once; absent for rows without effects. */
  readonly outbox?: EffectRelay;
}

/** Reads rows within a fixed filter, such as those of one tenant. */
export interface RowReader<Row> {
  get(id: string): Promise<Row | null>;
  /** The rows with these identifiers, in no promised order; unknown identifiers have none. */
  among(ids: readonly string[]): Promise<readonly Row[]>;
  /** One page in the order of creation. */
  page(query: ListQuery<Row>): Promise<Page<Row>>;
}

/**
 * Rows of one collection without a history (see RecordStore for those that have one). `insert` and `update` are the only places
 * where a row and its effects are committed.
 */
export class RowStore<Row extends { readonly created_at: Date }, E extends Effect = PendingEffect> {
  readonly documents: Collection<RowDocument>;
  readonly #outbox: EffectRelay | undefined;
  readonly #options: RowStoreOptions<Row>;
  readonly #hidden: ReadonlySet<string>;

  constructor({ db, outbox }: RowStoreDeps, options: RowStoreOptions<Row>) {
    this.documents = db.collection<RowDocument>(options.collection.name);
    this.#outbox = outbox;
    this.#options = options;
    this.#hidden = new Set(['_id', 'pending', ...(options.hidden ?? [])]);
  }

  /**
   * Inserts a row and performs its effects; durable when it resolves.
   *
   * @param members members that only the document has.
   * @returns false when the identifier or another unique key is taken.
   */
  async insert(row: Row, pending: readonly E[], members: object = {}): Promise<boolean> {
    return (await this.insertDocument(this.documentOf(row, pending, members))) === null;
  }

  /** Inserts a document as `documentOf` makes it. @returns the unique key that is taken, or null. */
  async insertDocument(document: CommitDocument<E>): Promise<DuplicateKey | null> {
    try {
      await this.documents.insertOne({ ...document }, { writeConcern: DURABLE });
    } catch (error) {
      const duplicate = duplicateKeyOf(error);
      if (duplicate === undefined) throw error;
      return duplicate;
    }
    await this.#committed(this.rowOf(document), document.pending);
    return null;
  }

  documentOf(row: Row, pending: readonly E[], members: object = {}): CommitDocument<E> {
    const { id: idName, sparse = [] } = this.#options;
    const document = { ...row, ...members, _id: String(row[idName]), pending: [...pending] };
    const left = new Set<string>([idName, ...sparse.filter((name) => row[name] === null)]);
    const kept = Object.entries(document).filter(([name]) => !left.has(name));
    return { ...Object.fromEntries(kept), _id: document._id, pending: document.pending };
  }

  async findOne(...filters: readonly object[]): Promise<Row | null> {
    const found = await this.documents.findOne({ $and: [...filters] });
    return found === null ? null : this.rowOf(found);
  }

  async exists(...filters: readonly object[]): Promise<boolean> {
    return (await this.documents.findOne({ $and: [...filters] }, { projection: { _id: 1 } })) !== null;
  }

  async find(...filters: readonly object[]): Promise<readonly Row[]> {
    const found = await this.documents
      .find({ $and: [...filters] })
      .sort({ created_at: 1, _id: 1 })
      .toArray();
    return found.map((document) => this.rowOf(document));
  }

  /** The rows with these identifiers; unknown identifiers have none. */
  async among(ids: readonly string[], ...filters: readonly object[]): Promise<readonly Row[]> {
    return ids.length === 0 ? [] : this.find(...filters, { _id: { $in: [...ids] } });
  }

  /** Up to `limit + 1` rows in the order of creation. */
  async list(query: ListQuery<Row>, ...filters: readonly object[]): Promise<readonly Row[]> {
    const window = keysetQuery('created_at', query);
    const equal = Object.entries(query.where).flatMap(([name, value]) =>
      value === undefined ? [] : [{ [name]: Array.isArray(value) ? { $in: value } : value }],
    );
    const found = await this.documents
      .find({ $and: [...filters, ...equal, window.filter] })
      .sort(window.sort)
      .limit(window.fetch)
      .toArray();
    return found.map((document) => this.rowOf(document));
  }

  async page(query: ListQuery<Row>, ...filters: readonly object[]): Promise<Page<Row>> {
    const { id } = this.#options;
    const rows = await this.list(query, ...filters);
    return pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: String(row[id]) }));
  }

  /** The reads that a fixed filter allows. */
  reader(...filters: readonly object[]): RowReader<Row> {
    return {
      get: (id) => this.findOne(...filters, { _id: id }),
      among: (ids) => this.among(ids, ...filters),
      page: (query) => this.page(query, ...filters),
    };
  }

  /**
   * Changes the row that fits the filters, appends its effects in the same durable write, and performs them.
   *
   * @param later effects that only the sweep performs, some seconds later.
   * @returns the row after the change; null when none fits.
   */
  async update(
    filters: readonly object[],
    change: Document,
    pending: readonly E[],
    later: readonly E[] = [],
  ): Promise<Row | null> {
    const { $push, ...rest } = change;
    const changed = await this.documents.findOneAndUpdate(
      { $and: [...filters] },
      { ...rest, $push: { ...$push, pending: { $each: [...pending, ...later] } } },
      { returnDocument: 'after', writeConcern: DURABLE },
    );
    if (changed === null) return null;
    const row = this.rowOf(changed);
    await this.#committed(row, pending);
    return row;
  }

  /** Like `update`; `taken` when another row has a unique key of the change. */
  async updateUnique(...change: Parameters<RowStore<Row, E>['update']>): Promise<Row | 'taken' | null> {
    try {
      return await this.update(...change);
    } catch (error) {
      if (duplicateKeyOf(error)) return 'taken';
      throw error;
    }
  }

  rowOf(document: RowDocument): Row {
    const { id, defaults, sparse = [] } = this.#options;
    const absent = Object.fromEntries(sparse.map((name) => [name, null]));
    const members = Object.fromEntries(Object.entries(document).filter(([name]) => !this.#hidden.has(name)));
    // This store alone writes the collection, from typed rows.
    return { ...absent, ...defaults, ...members, [id]: document._id } as Row;
  }

  async #committed(row: Row, pending: readonly E[]): Promise<void> {
    const { collection, id, committed } = this.#options;
    committed?.(row);
    if (pending.length > 0) await this.#outbox?.relay(collection.name, String(row[id]), pending);
  }
}
