import type { Collection, Db, Filter } from 'mongodb';
import { DURABLE } from '../../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../../shared/db/duplicate-key.js';
import { insertInOrder } from '../../../../shared/db/write-outcome.js';
import { problem } from '../../../../shared/errors/problem.js';
import type { TilePlace } from '../../../../shared/merkle/tiles.js';
import type { LedgerRow } from '../../append/domain/index.js';
import { LEDGER_COLLECTION } from '../../append/index.js';
import type {
  AssignOutcome,
  ChainPlace,
  EdgeTile,
  EntryHash,
  FullTile,
  LinkedEntry,
  RejectCheckpoint,
  TenantTree,
  TreeLease,
  TreeRow,
  TreeStore,
} from '../ports/tree-store.js';
import { MongoCheckpoints } from './checkpoint-store.js';
import { TILE_COLLECTION, TREE_COLLECTION, TREE_LEASE_COLLECTION } from './collections.js';
import { readEntryHash, readTreeRow, type StoredLeaf } from './row-reader.js';

interface StoredTile {
  readonly _id: {
    readonly tenant_id: string;
    readonly incarnation: number;
    readonly level: number;
    readonly index: number;
  };
  readonly hashes: Buffer;
  readonly root: Buffer;
}

interface StoredLease {
  readonly _id: string;
  readonly owner: string | null;
  readonly until: Date;
  readonly fence: number;
  readonly incarnation?: number;
  readonly tiles_done?: number;
  /** Small, and replaced with the row: a process need not rebuild upper tiles for its first proof. */
  readonly edges?: {
    readonly incarnation: number;
    readonly tiles: readonly { readonly level: number; readonly index: number; readonly hashes: Buffer }[];
  };
}

const WITHOUT_EDGES = { fence: 1, incarnation: 1, tiles_done: 1 } as const;

const LAST = Number.MAX_SAFE_INTEGER;
/** A lost lease only makes another process wait until it expires. */
const PASSING = { writeConcern: { w: 1 }, readConcern: { level: 'local' } } as const;

const unreported: RejectCheckpoint = async (_tenantId, id, compared) => {
  throw problem('INTEGRITY_FAILURE', { internal: `checkpoint ${id} fails: ${compared}` });
};

/** @param reject reports damaged checkpoints; by default they fail without an exception */
export const mongoTreeStore =
  (db: Db, reject: RejectCheckpoint = unreported): TreeStore =>
  (tenantId) =>
    new MongoTenantTree(db, tenantId, reject);

/** The tree of one tenant over the driver's collections; every filter starts with the tenant. */
class MongoTenantTree extends MongoCheckpoints implements TenantTree {
  readonly #leaves: Collection<StoredLeaf>;
  readonly #tiles: Collection<StoredTile>;
  readonly #leases: Collection<StoredLease>;
  readonly #ledger: Collection<LedgerRow>;

  constructor(db: Db, tenantId: string, reject: RejectCheckpoint) {
    super(db, tenantId, reject);
    const buffers = { promoteBuffers: true } as const;
    this.#leaves = db.collection<StoredLeaf>(TREE_COLLECTION, buffers);
    this.#tiles = db.collection<StoredTile>(TILE_COLLECTION, buffers);
    this.#leases = db.collection<StoredLease>(TREE_LEASE_COLLECTION, { ...PASSING, ...buffers });
    this.#ledger = db.collection<LedgerRow>(LEDGER_COLLECTION);
  }

  async size(): Promise<number> {
    const last = await this.#leaves.findOne(this.#places(0, LAST), { sort: { _id: -1 }, projection: { _id: 1 } });
    return last ? last._id.tree_index + 1 : 0;
  }

  async rows(from: number, limit: number): Promise<readonly TreeRow[]> {
    const options = { sort: { _id: 1 }, limit, batchSize: limit + 1, raw: true } as const;
    const found: unknown[] = await this.#leaves.find(this.#places(from, LAST), options).toArray();
    return found.map(readTreeRow);
  }

  async ofChain(sourceSystem: string, fromSeq: number, limit: number): Promise<readonly TreeRow[]> {
    const filter = { tenant_id: this.tenantId, source_system: sourceSystem, seq: { $gte: fromSeq } };
    const found: unknown[] = await this.#leaves
      .find(filter, { raw: true })
      .sort({ tenant_id: 1, source_system: 1, seq: 1 })
      .limit(limit)
      .batchSize(limit + 1)
      .toArray();
    return found.map(readTreeRow);
  }

  async treeIndexOf(sourceSystem: string, sequences: readonly number[]): Promise<ReadonlyMap<number, number>> {
    if (sequences.length === 0) return new Map();
    const filter = { tenant_id: this.tenantId, source_system: sourceSystem, seq: { $in: [...sequences] } };
    const found = await this.#leaves
      .find(filter, { projection: { seq: 1 }, batchSize: sequences.length + 1 })
      .toArray();
    return new Map(
      found.filter(({ _id }) => Number.isSafeInteger(_id.tree_index)).map(({ _id, seq }) => [seq, _id.tree_index]),
    );
  }

  async leavesAt(places: readonly ChainPlace[]): Promise<readonly TreeRow[]> {
    if (places.length === 0) return [];
    const chains = new Map<string, number[]>();
    for (const { source_system, seq } of places) chains.set(source_system, [...(chains.get(source_system) ?? []), seq]);
    const branches = [...chains].map(([source_system, seqs]) => ({ source_system, seq: { $in: seqs } }));
    const [only, ...others] = branches;
    const filter = { tenant_id: this.tenantId, ...(others.length === 0 ? only : { $or: branches }) };
    const found: unknown[] = await this.#leaves.find(filter, { raw: true, batchSize: places.length + 1 }).toArray();
    return found.map(readTreeRow);
  }

  async entriesAt(places: readonly ChainPlace[]): Promise<readonly LinkedEntry[]> {
    if (places.length === 0) return [];
    const ids = places.map(({ source_system, seq }) => ({ tenant_id: this.tenantId, source_system, seq }));
    const options = { projection: { prev_hash: 1, entry_hash: 1 }, batchSize: ids.length + 1 } as const;
    const found = await this.#ledger.find({ _id: { $in: ids } }, options).toArray();
    return found.map(({ _id: { source_system, seq }, prev_hash, entry_hash }) => {
      return { source_system, seq, prev_hash, entry_hash };
    });
  }

  async assignedUpTo(sourceSystem: string): Promise<number> {
    const last = await this.#leaves.findOne(
      // A value of another type sorts behind every number.
      { tenant_id: this.tenantId, source_system: sourceSystem, seq: { $lte: LAST } },
      { sort: { tenant_id: -1, source_system: -1, seq: -1 }, projection: { seq: 1 } },
    );
    return Number.isSafeInteger(last?.seq) ? Number(last?.seq) : 0;
  }

  async assign(rows: readonly TreeRow[]): Promise<AssignOutcome> {
    const leaves = rows.map(
      ({ tree_index, source_system, seq, entry_hash }): StoredLeaf => ({
        _id: { tenant_id: this.tenantId, tree_index },
        tenant_id: this.tenantId,
        source_system,
        seq,
        entry_hash: Buffer.from(entry_hash, 'hex'),
      }),
    );
    const { written, duplicate, unknown } = await insertInOrder(this.#leaves, leaves);
    // The next turn reads which of them a majority has.
    if (unknown) throw unknown;
    return { written, conflict: duplicate !== null };
  }

  async tiles(incarnation: number, places: readonly TilePlace[]): Promise<ReadonlyMap<string, Buffer>> {
    if (places.length === 0) return new Map();
    const ids = places.map((place) => this.#tileId(incarnation, place));
    const found = await this.#tiles
      .find({ _id: { $in: ids } }, { projection: { hashes: 1 }, batchSize: ids.length + 1 })
      .toArray();
    return new Map(found.map(({ _id, hashes }) => [`${_id.level}/${_id.index}`, hashes]));
  }

  async tileRoots(incarnation: number, level: number, from: number, limit: number): Promise<readonly Buffer[]> {
    const range = {
      $gte: this.#tileId(incarnation, { level, index: from }),
      $lt: this.#tileId(incarnation, { level, index: from + limit }),
    };
    const found = await this.#tiles
      .find({ _id: range }, { projection: { root: 1 }, sort: { _id: 1 }, batchSize: limit + 1 })
      .toArray();
    const gap = found.findIndex(({ _id }, i) => _id.index !== from + i);
    return (gap < 0 ? found : found.slice(0, gap)).map(({ root }) => root);
  }

  async keepTiles(incarnation: number, tiles: readonly FullTile[]): Promise<void> {
    if (tiles.length === 0) return;
    const documents = tiles.map(({ place, hashes, root }) => ({ _id: this.#tileId(incarnation, place), hashes, root }));
    try {
      await this.#tiles.insertMany(documents, { ordered: false, writeConcern: DURABLE, forceServerObjectId: true });
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
  }

  async entryHashes(sourceSystem: string, fromSeq: number, limit: number): Promise<readonly EntryHash[]> {
    const id = (seq: number) => ({ tenant_id: this.tenantId, source_system: sourceSystem, seq });
    const options = {
      projection: { entry_hash: 1 },
      sort: { _id: 1 },
      limit,
      batchSize: limit + 1,
      raw: true,
    } as const;
    const filter: Filter<LedgerRow> = { _id: { $gte: id(fromSeq), $lte: id(LAST) } };
    const found: unknown[] = await this.#ledger.find(filter, options).toArray();
    return found.map(readEntryHash);
  }

  async hold(owner: string, nowMs: number, untilMs: number, incarnation: number): Promise<TreeLease | null> {
    const free = { _id: this.tenantId, until: { $lte: new Date(nowMs) } };
    try {
      const row = await this.#leases.findOneAndUpdate(
        free,
        { $set: { owner, until: new Date(untilMs) }, $inc: { fence: 1 } },
        { upsert: true, returnDocument: 'after', projection: WITHOUT_EDGES },
      );
      if (!row) return null;
      return { fence: row.fence, tilesDone: row.incarnation === incarnation ? (row.tiles_done ?? 0) : 0 };
    } catch (error) {
      // Held: the upsert collided with the row that did not match.
      if (!duplicateKeyOf(error)) throw error;
      return null;
    }
  }

  async renew({ fence }: TreeLease, untilMs: number): Promise<boolean> {
    const renewed = await this.#leases.updateOne({ _id: this.tenantId, fence }, { $set: { until: new Date(untilMs) } });
    return renewed.matchedCount === 1;
  }

  async release(
    { fence }: TreeLease,
    incarnation: number,
    tilesDone: number,
    edges: readonly EdgeTile[] | null,
  ): Promise<void> {
    const tiles = edges?.map(({ place: { level, index }, hashes }) => ({ level, index, hashes }));
    const noted = tiles && { edges: { incarnation, tiles } };
    const $set = { until: new Date(0), owner: null, incarnation, tiles_done: tilesDone, ...noted };
    await this.#leases.updateOne({ _id: this.tenantId, fence }, { $set });
  }

  async edges(incarnation: number): Promise<ReadonlyMap<string, Buffer>> {
    const row = await this.#leases.findOne({ _id: this.tenantId }, { projection: { edges: 1 } });
    const tiles = row?.edges?.incarnation === incarnation ? row.edges.tiles : [];
    return new Map(tiles.map(({ level, index, hashes }) => [`${level}/${index}`, hashes]));
  }

  #places(from: number, to: number): Filter<StoredLeaf> {
    const id = (tree_index: number) => ({ tenant_id: this.tenantId, tree_index });
    return { _id: { $gte: id(from), $lte: id(to) } };
  }

  #tileId(incarnation: number, { level, index }: TilePlace): StoredTile['_id'] {
    return { tenant_id: this.tenantId, incarnation, level, index };
  }
}
