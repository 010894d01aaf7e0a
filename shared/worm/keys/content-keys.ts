import type { Collection, Db, Filter } from 'mongodb';
import type { Clock } from '../../clock/clock.js';
import { DURABLE } from '../../db/connection-options.js';
import { duplicateKeyOf } from '../../db/duplicate-key.js';
import type { Randomness } from '../../ids/ids.js';
import { CONTENT_KEY_BYTES } from './content-cipher.js';
import type { EpochKeys, WrappedKey } from './epoch-keys.js';

/** The key of a segment or a content. A row without a key is a removal that is not complete. */
export interface KeyRow {
  readonly _id: string;
  /** In clear, of a bucket without epochs. */
  readonly key?: Uint8Array;
  /** Under the key of `epoch`. */
  readonly wrapped?: Uint8Array;
  readonly epoch?: number;
  /** True if the bytes lie under `copyName`, because they were stored in clear before. */
  readonly is_copy?: boolean;
  readonly destroyed_at?: Date;
}

/** The key of a content or a segment, and where its bytes lie. */
interface KnownKey {
  /** Null if it is destroyed. */
  readonly key: Buffer | null;
  readonly isCopy: boolean;
}

/** Rows that a walk reads in one batch. */
const BATCH_ROWS = 1000;
/** Keys that are kept in memory. */
const KEYS_KEPT = 1_000;
const durable = { writeConcern: DURABLE } as const;

const sealedName = (segment: string): string => `${segment}/sealed`;

/** Filter of rows with a key. */
const LIVING: Filter<KeyRow> = { $or: [{ key: { $exists: true } }, { wrapped: { $exists: true } }] };

/** Name of the encrypted copy of something that was stored in clear. */
export const copyName = (name: string): string => `${name}e`;
export const isCopyName = (name: string): boolean => name.endsWith('e');

interface ContentKeysDeps {
  readonly db: Db;
  /** The same database under the only credential that may delete. */
  readonly retention: Db;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Null only for a bucket without epochs: its keys lie in the database in clear. */
  readonly epochs: EpochKeys | null;
}

/**
 * Keys of contents and segments. A disposal destroys its key (docs/adr/0123-a-key-for-each-content.md). A key is durable before
 * what it encrypts is acknowledged.
 */
export class ContentKeys {
  readonly #deps: ContentKeysDeps;
  readonly #rows: Collection<KeyRow>;
  readonly #taken: Collection<KeyRow>;
  readonly #kept = new Map<string, KnownKey | null>();

  constructor(deps: ContentKeysDeps) {
    this.#deps = deps;
    this.#rows = deps.db.collection<KeyRow>('worm_keys', { promoteBuffers: true });
    this.#taken = deps.retention.collection<KeyRow>('worm_keys', { promoteBuffers: true });
  }

  async prepare(): Promise<void> {
    await this.#rows.createIndex({ destroyed_at: 1 }, { sparse: true });
    await this.#rows.createIndex({ epoch: 1 }, { sparse: true });
  }

  /** Makes new keys. @param names new names, in any order @returns the keys in the order of the names */
  async make(names: readonly string[]): Promise<readonly Buffer[]> {
    const made = names.map((name) => ({ name, key: this.#newKey() }));
    if (made.length > 0)
      await this.#rows.insertMany(
        made.map(({ name, key }) => this.#rowOf(name, key)),
        durable,
      );
    for (const { name, key } of made) this.#keep(name, { key, isCopy: false });
    return made.map(({ key }) => key);
  }

  /** Makes a key unless the name has one, or had one that was destroyed. */
  async ensure(name: string): Promise<void> {
    try {
      await this.#rows.insertOne(this.#rowOf(name, this.#newKey()), durable);
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
  }

  /** Makes a key for a copy of something that was stored in clear. @returns the key; `switchTo` stores it */
  newCopy(name: string): { readonly key: Buffer; readonly switchTo: () => Promise<void> } {
    const key = this.#newKey();
    return {
      key,
      switchTo: async () => {
        await this.#rows.insertOne({ ...this.#rowOf(name, key), is_copy: true }, durable);
        this.#kept.delete(name);
      },
    };
  }

  /** Returns the key, or null if it never was or is destroyed. */
  async find(name: string): Promise<Buffer | null> {
    return (await this.read(name))?.key ?? null;
  }

  /** Returns the key and the place; null if the name never had a key. */
  async read(name: string): Promise<KnownKey | null> {
    const row = await this.#rows.findOne({ _id: name });
    return row === null ? null : { key: this.#keyIn(row), isCopy: row.is_copy === true };
  }

  /** Returns what `read` does, from memory where it is there: for names whose bytes a row already commits. */
  async known(name: string): Promise<KnownKey | null> {
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    const read = await this.read(name);
    this.#keep(name, read);
    return read;
  }

  /** Returns the key of a segment for a write; null if the segment has none or is sealed. */
  async findOpen(segment: string): Promise<Buffer | null> {
    const rows = await this.#rows.find({ _id: { $in: [segment, sealedName(segment)] } }).toArray();
    const [only] = rows;
    return rows.length === 1 && only?._id === segment ? this.#keyIn(only) : null;
  }

  /** Ends writes under the key of a segment. The mark is a separate row, because the service may not update rows. */
  async seal(segment: string): Promise<void> {
    try {
      await this.#rows.insertOne({ _id: sealedName(segment) }, durable);
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
  }

  /** Destroys a key: its objects cannot be decrypted any more. After the end of the epoch the key cannot be recovered. */
  async destroy(name: string): Promise<void> {
    this.#kept.delete(name);
    const change = {
      $unset: { key: '' as const, wrapped: '' as const, epoch: '' as const },
      $set: { destroyed_at: new Date(this.#deps.clock.nowMs()) },
    };
    await this.#taken.updateOne({ _id: name }, change, durable);
  }

  /** Deletes the row of a destroyed key, after its objects are gone. */
  async forget(name: string): Promise<void> {
    await this.#taken.deleteOne({ _id: sealedName(name) }, durable);
    await this.#taken.deleteOne({ _id: name, destroyed_at: { $exists: true } }, durable);
  }

  /** Returns the names of destroyed keys with a remaining row. */
  async unfinished(limit: number): Promise<readonly string[]> {
    const rows = await this.#taken
      .find({ destroyed_at: { $exists: true } }, { limit, projection: { _id: 1 } })
      .toArray();
    return rows.map(({ _id }) => _id);
  }

  /** Lists the names between these two, in order. */
  async *named(after: string, before: string): AsyncGenerator<string> {
    for await (const { _id } of this.#walk(after, { $lt: before }, {})) yield _id;
  }

  /** Lists all names with a key, in order. */
  async *living(): AsyncGenerator<string> {
    for await (const { _id } of this.#walk('', {}, LIVING)) yield _id;
  }

  async *#walk(after: string, bound: { readonly $lt?: string }, also: Filter<KeyRow>): AsyncGenerator<KeyRow> {
    for (let last = after; ; ) {
      const options = { sort: { _id: 1 }, limit: BATCH_ROWS, projection: { _id: 1 } } as const;
      const rows = await this.#taken.find({ ...also, _id: { $gt: last, ...bound } }, options).toArray();
      yield* rows;
      const final = rows.at(-1);
      if (final === undefined || rows.length < BATCH_ROWS) return;
      last = final._id;
    }
  }

  #rowOf(_id: string, key: Buffer): KeyRow {
    return { _id, ...storedKey(this.#deps.epochs, _id, key) };
  }

  #keyIn(row: KeyRow): Buffer | null {
    return keyIn(this.#deps.epochs, row);
  }

  #keep(name: string, known: KnownKey | null): void {
    if (this.#kept.size >= KEYS_KEPT)
      for (const oldest of [...this.#kept.keys()].slice(0, KEYS_KEPT / 2)) this.#kept.delete(oldest);
    this.#kept.set(name, known);
  }

  #newKey(): Buffer {
    return Buffer.from(this.#deps.randomness.fill(new Uint8Array(CONTENT_KEY_BYTES)));
  }
}

/** The members of a row that hold a key. */
const storedKey = (epochs: EpochKeys | null, name: string, key: Buffer): WrappedKey | { readonly key: Buffer } =>
  epochs === null ? { key } : epochs.wrap(name, key);

/** The key that a row holds; null if it is destroyed. @throws INTEGRITY_FAILURE */
export function keyIn(epochs: EpochKeys | null, { _id, key, wrapped, epoch }: KeyRow): Buffer | null {
  if (key instanceof Uint8Array) return Buffer.from(key);
  if (!(wrapped instanceof Uint8Array) || epoch === undefined) return null;
  if (epochs === null) throw new Error('the keys of the epochs are not given');
  return epochs.unwrap(_id, { wrapped: Buffer.from(wrapped), epoch });
}
