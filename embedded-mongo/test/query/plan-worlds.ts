import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc, type BsonValue, toBson } from '../../bson/value.js';
import { Catalog } from '../../catalog/catalog.js';
import type { Collection } from '../../catalog/collection.js';
import { type IndexSpec, parseIndexSpec } from '../../catalog/index-definition.js';
import { MongoError } from '../../errors.js';
import { DocumentStore } from '../../store/document-store.js';
import { type Environment, openEnvironment } from '../../store/environment.js';
import { ABORT } from '../../txn/group-commit.js';
import { pick, randomScalar, randomValue } from '../values/generator.js';

/** A collection of random documents under random indexes, in a separate store without a server. */
export class World {
  readonly documents: BsonDoc[] = [];
  /** Values that occur, so that conditions meet something. */
  readonly pool: BsonValue[] = [];

  constructor(
    readonly env: Environment,
    readonly store: DocumentStore,
    readonly collection: Collection,
  ) {}
}

export class Worlds {
  readonly #path = mkdtempSync(join(tmpdir(), 'embedded-mongo-plans-'));
  readonly #env = openEnvironment(this.#path);
  readonly #catalog = new Catalog(this.#env.catalog, (size) => Buffer.alloc(size, 7));
  readonly #store = new DocumentStore(this.#env, this.#catalog);
  #made = 0;

  make(random: () => number): World {
    let world: World | undefined;
    this.#env.root.transactionSync(() => {
      const collection = this.#catalog.create('db', `c${++this.#made}`, {});
      world = new World(this.#env, this.#store, collection);
      fill(world, this.#store, random);
      this.#addIndexes(world, random);
      // Later changes go through all indexes at once.
      change(world, this.#store, random);
      this.#catalog.saveCounters();
    });
    if (!world) throw new Error('no world was made');
    return world;
  }

  /** These documents under one index. */
  of(documents: readonly BsonDoc[], spec: IndexSpec): World {
    let world: World | undefined;
    this.#env.root.transactionSync(() => {
      const collection = this.#catalog.create('db', `c${++this.#made}`, {});
      this.#catalog.addIndex(collection, spec, false);
      world = new World(this.#env, this.#store, collection);
      for (const doc of documents) this.#store.insert(collection, encodeDocument(doc));
      this.#catalog.saveCounters();
    });
    if (!world) throw new Error('no world was made');
    return world;
  }

  /** Writes that are undone, as when a group of commands fails. */
  undone(write: () => void): void {
    this.#env.root.transactionSync(() => {
      write();
      return ABORT as never;
    });
    this.#catalog.load();
  }

  /** Writes that stay. */
  written(write: () => void): void {
    this.#env.root.transactionSync(() => {
      write();
      this.#catalog.saveCounters();
    });
  }

  drop(world: World): void {
    const { collection } = world;
    const [, index] = collection.indexes;
    if (index) this.written(() => this.#catalog.dropIndex(collection, index));
  }

  #addIndexes({ collection, documents }: World, random: () => number): void {
    for (let n = 0; n < 6; n++) {
      const spec = parseIndexSpec(randomIndex(random, n));
      const index = this.#catalog.addIndex(collection, spec, true);
      try {
        for (const [at, doc] of documents.entries())
          this.#store.addToIndex(collection, index, at + 1, encodeDocument(doc));
        index.building = false;
      } catch (error) {
        // Parallel arrays, or values twice where they may not be: this world goes without the index.
        if (!(error instanceof MongoError)) throw error;
        this.#catalog.dropIndex(collection, index);
      }
    }
  }

  async close(): Promise<void> {
    await this.#env.close();
    rmSync(this.#path, { recursive: true, force: true });
  }
}

const NAMES = ['a', 'b', 'c'];
export const PATHS = ['a', 'b', 'c', 'a.b', 'c.a', 'c.b', 'a.0', 'b.1', '_id'];

function randomField(random: () => number, pool: readonly BsonValue[]): BsonValue {
  const kind = random();
  if (kind < 0.35 && pool.length > 0) return pick(random, pool);
  if (kind < 0.5) return toBson(Math.floor(random() * 6));
  if (kind < 0.6) {
    const inner = new BsonDoc();
    for (const name of ['a', 'b']) if (random() < 0.7) inner.append(name, randomScalar(random));
    return inner;
  }
  if (kind < 0.68) return Array.from({ length: Math.floor(random() * 3) }, () => randomField(random, pool));
  return randomValue(random, 1);
}

function fill(world: World, store: DocumentStore, random: () => number): void {
  const count = 20 + Math.floor(random() * 60);
  for (let n = 0; n < count; n++) {
    const doc = new BsonDoc().append('_id', toBson(n));
    for (const name of NAMES) {
      if (random() < 0.2) continue;
      const value = randomField(random, world.pool);
      doc.append(name, value);
      world.pool.push(...(Array.isArray(value) ? value : [value]));
    }
    world.documents.push(doc);
    store.insert(world.collection, encodeDocument(doc));
  }
}

function change({ collection, documents, pool }: World, store: DocumentStore, random: () => number): void {
  for (const [at, doc] of documents.entries()) {
    if (random() > 0.15) continue;
    const before = encodeDocument(doc);
    const changed = new BsonDoc([...doc.keys], [...doc.values]).set(pick(random, NAMES), randomField(random, pool));
    try {
      store.replace(collection, at + 1, before, encodeDocument(changed));
    } catch (error) {
      if (!(error instanceof MongoError)) throw error;
    }
  }
}

function randomIndex(random: () => number, n: number): BsonDoc {
  const key: Record<string, number> = {};
  const fields = 1 + Math.floor(random() * 3);
  for (let i = 0; i < fields; i++) key[pick(random, PATHS.slice(0, 8))] = random() < 0.6 ? 1 : -1;
  const kind = random();
  const options =
    kind < 0.15
      ? { sparse: true }
      : kind < 0.3
        ? {
            partialFilterExpression: pick(random, [
              { b: { $gt: 2 } },
              { a: { $exists: true } },
              { c: { $in: [1, 2, 'a'] } },
            ]),
          }
        : kind < 0.4
          ? { unique: true }
          : {};
  return BsonDoc.of({ key, name: `i${n}`, ...options });
}
