import type { Collection, Db, Filter, Sort } from 'mongodb';
import { DURABLE } from '../../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { kindOfNode, type NodeId } from '../domain/node-id.js';
import type { GraphRecord } from '../domain/record.js';
import type { EdgeTarget, EdgeWindow, GraphStore, RecordPlace, TenantGraph } from '../ports.js';
import { GRAPH_GENERATIONS, GRAPH_RECORDS } from './cursors.js';
import { HIDDEN, readGraphRecord, type StoredRecord, storedOf } from './rows.js';

interface Generation {
  readonly _id: string;
  readonly live: number;
  readonly last: number;
}

const FIRST_GENERATION = 1;
/** Nodes of this kind usually have more incoming records than one page. */
const USUAL_HUB = 'code';

/** Stores the graph in the driver's collections. */
export function mongoGraphStore(db: Db): GraphStore {
  const rows = db.collection<StoredRecord>(GRAPH_RECORDS.name);
  const generations = db.collection<Generation>(GRAPH_GENERATIONS.name);
  return {
    live: async (tenantId) => (await generations.findOne({ _id: tenantId }))?.live ?? FIRST_GENERATION,
    of: (tenantId, generation) => new MongoTenantGraph(rows, tenantId, generation),
    put: (tenantId, generation, records) =>
      putRecords(
        rows,
        records.map((read) => storedOf(tenantId, generation, read)),
      ),
    begin: async (tenantId) => {
      await ensured(generations, tenantId);
      const next = await generations.findOneAndUpdate(
        { _id: tenantId },
        { $inc: { last: 1 } },
        { returnDocument: 'after', writeConcern: DURABLE },
      );
      if (next === null) throw new Error('the generations of the graph were deleted during a rebuild');
      return next.last;
    },
    switchTo: async (tenantId, generation) => {
      const changed = await generations.updateOne(
        { _id: tenantId, live: { $lt: generation } },
        { $set: { live: generation } },
        { writeConcern: DURABLE },
      );
      return changed.modifiedCount === 1;
    },
    dropBefore: async (tenantId, generation) => {
      const _id = {
        $gte: { tenant_id: tenantId, generation: 0, node: '' },
        $lt: { tenant_id: tenantId, generation, node: '' },
      };
      await rows.deleteMany({ tenant_id: tenantId, _id });
    },
  };
}

async function ensured(generations: Collection<Generation>, tenantId: TenantId): Promise<void> {
  try {
    const first = { tenant_id: tenantId, live: FIRST_GENERATION, last: FIRST_GENERATION };
    await generations.updateOne({ _id: tenantId }, { $setOnInsert: first }, { upsert: true, writeConcern: DURABLE });
  } catch (error) {
    if (!duplicateKeyOf(error)) throw error;
  }
}

/** Bounds of a generation by `_id`. */
const within = (tenant_id: string, generation: number, after: string | null = null) => ({
  [after === null ? '$gte' : '$gt']: { tenant_id, generation, node: after ?? '' },
  $lt: { tenant_id, generation: generation + 1, node: '' },
});

async function putRecords(rows: Collection<StoredRecord>, documents: readonly StoredRecord[]): Promise<void> {
  if (documents.length === 0) return;
  try {
    // Nearly all records are new, and an insert costs two thirds of an upsert.
    await rows.insertMany([...documents], { ordered: false, writeConcern: DURABLE, forceServerObjectId: true });
    return;
  } catch (error) {
    if (!duplicateKeyOf(error)) throw error;
  }
  const operations = documents.map((document) => ({
    replaceOne: {
      filter: { _id: document._id, read_at: { $lte: document.read_at } },
      replacement: document,
      upsert: true,
    },
  }));
  try {
    await rows.bulkWrite(operations, { ordered: false, writeConcern: DURABLE });
  } catch (error) {
    // A newer reading is already stored.
    if (!duplicateKeyOf(error)) throw error;
  }
}

/** Reads one generation of one tenant; every filter begins with both. */
class MongoTenantGraph implements TenantGraph {
  readonly #rows: Collection<StoredRecord>;
  readonly #tenantId: string;
  readonly #generation: number;

  constructor(rows: Collection<StoredRecord>, tenantId: string, generation: number) {
    this.#rows = rows;
    this.#tenantId = tenantId;
    this.#generation = generation;
  }

  async records(nodes: readonly NodeId[]): Promise<GraphRecord[]> {
    if (nodes.length === 0) return [];
    const ids = nodes.map((node) => ({ tenant_id: this.#tenantId, generation: this.#generation, node }));
    return this.#read({ _id: { $in: ids } }, ids.length);
  }

  async into(target: EdgeTarget, window: EdgeWindow, limit: number, after?: RecordPlace): Promise<GraphRecord[]> {
    const keys = keysOf(target, window);
    if (keys.length > 1 && kindOfNode(target.to) !== USUAL_HUB) {
      // Usually one query returns all records.
      const some = await this.#read(this.#filter({ $in: keys }, window, after), limit + 1);
      if (some.length <= limit) return some.sort(newestFirst);
    }
    // One index scan for each kind, each up to the limit; removes duplicates.
    const walks = keys.map((key) => this.#read(this.#filter(key, window, after), limit, { at: -1, node: -1 }));
    const found = new Map((await Promise.all(walks)).flat().map((record) => [record.node, record]));
    return [...found.values()].sort(newestFirst).slice(0, limit);
  }

  async intoAny(targets: readonly EdgeTarget[], window: EdgeWindow, limit: number): Promise<GraphRecord[]> {
    const keys = targets.flatMap((target) => keysOf(target, window));
    return keys.length === 0 ? [] : this.#read(this.#filter({ $in: keys }, window), limit);
  }

  page(after: NodeId | null, limit: number): Promise<GraphRecord[]> {
    const _id = within(this.#tenantId, this.#generation, after);
    return this.#read({ tenant_id: this.#tenantId, _id }, limit, { _id: 1 });
  }

  /** Reads in one reply: a second one costs as much as the first. */
  async #read(filter: Filter<StoredRecord>, limit: number, sort?: Sort): Promise<GraphRecord[]> {
    const options = { limit, batchSize: limit + 1, raw: true, ...(sort && { sort }) } as const;
    return (await this.#rows.find(filter, options).toArray()).map(readGraphRecord);
  }

  #filter(
    ends: string | { readonly $in: readonly string[] },
    { sinceMs, untilMs }: EdgeWindow,
    after?: RecordPlace,
  ): Filter<StoredRecord> {
    const at = {
      // Bounds the index scan, so that a late page of a hub does not read the earlier ones.
      ...(after === undefined ? {} : { $lte: new Date(after.atMs) }),
      ...(sinceMs === undefined ? {} : { $gte: new Date(sinceMs) }),
      ...(untilMs === undefined ? {} : { $lt: new Date(untilMs) }),
    };
    const beyond = after && {
      $or: [{ at: { $lt: new Date(after.atMs) } }, { at: new Date(after.atMs), node: { $lt: after.node } }],
    };
    return {
      tenant_id: this.#tenantId,
      generation: this.#generation,
      ends,
      ...(Object.keys(at).length === 0 ? {} : { at }),
      ...beyond,
    };
  }
}

function keysOf({ to, kinds }: EdgeTarget, { hidden }: EdgeWindow): string[] {
  return kinds.flatMap((kind) => [`${to}\n${kind}`, ...(hidden ? [`${to}\n${kind}\n${HIDDEN}`] : [])]);
}

const newestFirst = (a: GraphRecord, b: GraphRecord): number =>
  b.at_ms - a.at_ms || (a.node < b.node ? 1 : a.node > b.node ? -1 : 0);
