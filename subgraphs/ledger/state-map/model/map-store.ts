import type { Collection, Db } from 'mongodb';
import { DURABLE } from '../../../../shared/db/database.js';
import { MapDamaged } from '../../../../shared/state-map/node.js';
import type { MapNodeName } from '../../../../shared/state-map/update.js';
import type { ItemRow, MapPin, MapStore, MapWrite, TenantMap } from '../ports.js';

interface NodeRow {
  readonly _id: { readonly tenant_id: string; readonly version: number; readonly path: string };
  readonly bytes: Buffer;
}

interface StaleRow {
  readonly _id: { readonly tenant_id: string; readonly version: number };
  /** `VERSION/PATH` of nodes that versions from this one on do not read. */
  readonly nodes: readonly string[];
}

interface StoredItem extends Omit<ItemRow, 'key'> {
  readonly _id: { readonly tenant_id: string; readonly key: string };
}

interface ChunkRow {
  readonly _id: { readonly tenant_id: string; readonly key: string; readonly number: number };
  readonly causes: Buffer;
}

interface PinRow {
  readonly _id: { readonly tenant_id: string; readonly holder: string };
  readonly tree_size: number;
  readonly root: string;
  readonly pinned_at: Date;
}

/** Rows of one operation. */
const ROWS_AT_ONCE = 2_000;
const LAST = Number.MAX_SAFE_INTEGER;

const MAP_COLLECTIONS = [
  'ledger_map_nodes',
  'ledger_map_stale',
  'ledger_map_items',
  'ledger_map_chunks',
  'ledger_map_pins',
] as const;

/** The primary keys are the only indexes: every row is found by tenant, and key or version. */
export const mongoMapStore =
  (db: Db): MapStore =>
  (tenantId) =>
    new MongoTenantMap(db, tenantId);

class MongoTenantMap implements TenantMap {
  readonly #tenantId: string;
  readonly #nodes: Collection<NodeRow>;
  readonly #stale: Collection<StaleRow>;
  readonly #items: Collection<StoredItem>;
  readonly #chunks: Collection<ChunkRow>;
  readonly #pins: Collection<PinRow>;

  constructor(db: Db, tenantId: string) {
    this.#tenantId = tenantId;
    const [nodes, stale, items, chunks, pins] = MAP_COLLECTIONS;
    const buffers = { promoteBuffers: true } as const;
    this.#nodes = db.collection<NodeRow>(nodes, buffers);
    this.#stale = db.collection<StaleRow>(stale);
    this.#items = db.collection<StoredItem>(items, buffers);
    this.#chunks = db.collection<ChunkRow>(chunks, buffers);
    this.#pins = db.collection<PinRow>(pins);
  }

  async read(names: readonly MapNodeName[]): Promise<readonly Buffer[]> {
    const found = new Map<string, Buffer>();
    for (const some of inParts(names)) {
      const ids = some.map(({ version, path }) => ({ tenant_id: this.#tenantId, version, path }));
      const rows = await this.#nodes.find({ _id: { $in: ids } }, { batchSize: ids.length + 1 }).toArray();
      for (const { _id, bytes } of rows) found.set(`${_id.version}/${_id.path}`, bytes);
    }
    return names.map(({ version, path }) => {
      const bytes = found.get(`${version}/${path}`);
      if (Buffer.isBuffer(bytes)) return bytes;
      throw new MapDamaged(`the node ${path || 'at the root'} of version ${version} of the map is missing`);
    });
  }

  async items(keys: readonly string[]): Promise<ReadonlyMap<string, ItemRow>> {
    const found = new Map<string, ItemRow>();
    for (const some of inParts(keys)) {
      const ids = some.map((key) => ({ tenant_id: this.#tenantId, key }));
      const rows = await this.#items.find({ _id: { $in: ids } }, { batchSize: ids.length + 1 }).toArray();
      for (const { _id, ...rest } of rows) found.set(_id.key, { key: _id.key, ...rest });
    }
    return found;
  }

  async write({ version, update, items, chunks }: MapWrite): Promise<void> {
    const tenant_id = this.#tenantId;
    for (const some of inParts(update.written)) {
      const writes = some.map(({ path, bytes }) => replaced({ _id: { tenant_id, version, path } }, { bytes }));
      await this.#nodes.bulkWrite(writes, UNORDERED);
    }
    for (const some of inParts(chunks)) {
      const writes = some.map(({ key, number, causes }) => replaced({ _id: { tenant_id, key, number } }, { causes }));
      await this.#chunks.bulkWrite(writes, UNORDERED);
    }
    for (const some of inParts(items)) {
      const writes = some.map(({ key, ...rest }) => replaced({ _id: { tenant_id, key } }, rest));
      await this.#items.bulkWrite(writes, UNORDERED);
    }
    const nodes = update.stale.map((name) => `${name.version}/${name.path}`);
    if (nodes.length === 0) return;
    await this.#stale.replaceOne({ _id: { tenant_id, version } }, { nodes }, { upsert: true, writeConcern: DURABLE });
  }

  async removeAfter(version: number): Promise<void> {
    const tenant_id = this.#tenantId;
    const range = { $gte: { tenant_id, version: version + 1 }, $lte: { tenant_id, version: LAST } };
    await this.#stale.deleteMany({ _id: range });
    const nodes = { $gte: { tenant_id, version: version + 1, path: '' }, $lt: { tenant_id, version: LAST, path: '' } };
    await this.#nodes.deleteMany({ _id: nodes });
  }

  async removeAll(): Promise<void> {
    const tenant_id = this.#tenantId;
    await this.removeAfter(-1);
    const keys = { $gte: { tenant_id, key: '' }, $lte: { tenant_id, key: 'g' } };
    await this.#items.deleteMany({ _id: keys });
    const chunks = { $gte: { tenant_id, key: '', number: 0 }, $lte: { tenant_id, key: 'g', number: LAST } };
    await this.#chunks.deleteMany({ _id: chunks });
  }

  async removeStale(version: number): Promise<void> {
    const tenant_id = this.#tenantId;
    const range = { $gte: { tenant_id, version: 0 }, $lte: { tenant_id, version } };
    for await (const row of this.#stale.find({ _id: range }, { sort: { _id: 1 } })) {
      for (const some of inParts(row.nodes)) {
        const ids = some.map((name) => {
          const at = name.indexOf('/');
          return { tenant_id, version: Number(name.slice(0, at)), path: name.slice(at + 1) };
        });
        await this.#nodes.deleteMany({ _id: { $in: ids } });
      }
      await this.#stale.deleteOne({ _id: row._id });
    }
  }

  async chunk(key: string, number: number): Promise<Buffer | null> {
    const row = await this.#chunks.findOne({ _id: { tenant_id: this.#tenantId, key, number } });
    return row?.causes ?? null;
  }

  async pins(): Promise<readonly MapPin[]> {
    const rows = await this.#pins.find({ _id: this.#allPins() }).toArray();
    return rows.map(({ _id, tree_size, root, pinned_at }) => ({ holder: _id.holder, tree_size, root, pinned_at }));
  }

  async pin({ holder, ...version }: MapPin): Promise<void> {
    const _id = { tenant_id: this.#tenantId, holder };
    await this.#pins.replaceOne({ _id }, version, { upsert: true, writeConcern: DURABLE });
  }

  async unpin(holder: string): Promise<void> {
    await this.#pins.deleteOne({ _id: { tenant_id: this.#tenantId, holder } });
  }

  async unpinBefore(time: Date): Promise<void> {
    await this.#pins.deleteMany({ _id: this.#allPins(), pinned_at: { $not: { $gte: time } } });
  }

  /** Any text is between the empty one and an object. */
  #allPins(): never {
    const tenant_id = this.#tenantId;
    return { $gte: { tenant_id, holder: '' }, $lt: { tenant_id, holder: {} } } as never;
  }
}

const UNORDERED = { ordered: false, writeConcern: DURABLE } as const;

const replaced = <Id, Row>(filter: { readonly _id: Id }, replacement: Row) => ({
  replaceOne: { filter, replacement, upsert: true },
});

function* inParts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += ROWS_AT_ONCE) yield all.slice(at, at + ROWS_AT_ONCE);
}
