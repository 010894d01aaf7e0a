import type { Collection, Db, Filter } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { StoredEdgeKind } from '../domain/graph/edge-kinds.js';
import type { EdgeEnd, GraphRecord } from '../domain/graph/graph-record.js';
import { kindOfNode, type NodeId, type RecordNodeKind } from '../domain/graph/node-id.js';
import type {
  EdgeTarget,
  EdgeWindow,
  GraphStore,
  ReadRecord,
  RecordPlace,
  TenantGraph,
} from '../service/ports/graph-store.js';
import { GRAPH_COLLECTION, GRAPH_GENERATION_COLLECTION } from './graph-model.js';

/** Members that say nothing are left out: most records are events. */
interface StoredRecord {
  readonly _id: { readonly tenant_id: string; readonly generation: number; readonly node: string };
  readonly tenant_id: string;
  readonly generation: number;
  readonly node: string;
  readonly at: Date;
  readonly ends: readonly string[];
  readonly label?: string;
  readonly status?: string;
  readonly source_system?: string;
  readonly category: string;
  readonly labels?: readonly string[];
  readonly read_at: Date;
}

interface Generation {
  readonly _id: string;
  readonly live: number;
  readonly last: number;
}

const HIDDEN = 'H';
const FIRST_GENERATION = 1;

const endOf = ({ kind, to, hidden }: EdgeEnd): string => `${to}\n${kind}${hidden ? `\n${HIDDEN}` : ''}`;

function edgeOfEnd(end: string): EdgeEnd {
  const [to = '', kind = '', mark] = end.split('\n');
  const edge = { kind: kind as StoredEdgeKind, to: to as NodeId };
  return mark === HIDDEN ? { ...edge, hidden: true } : edge;
}

const recordOf = (row: StoredRecord): GraphRecord => ({
  node: row.node as NodeId,
  kind: kindOfNode(row.node as NodeId) as RecordNodeKind,
  at_ms: row.at.getTime(),
  label: row.label ?? null,
  status: row.status ?? null,
  source_system: row.source_system ?? null,
  category: row.category,
  labels: row.labels ?? [],
  edges: row.ends.map(edgeOfEnd),
});

function storedOf(tenantId: string, generation: number, { record, readAtMs }: ReadRecord): StoredRecord {
  const { node, at_ms, label, status, source_system, category, labels, edges } = record;
  return {
    _id: { tenant_id: tenantId, generation, node },
    tenant_id: tenantId,
    generation,
    node,
    at: new Date(at_ms),
    ends: edges.map(endOf),
    category,
    read_at: new Date(readAtMs),
    ...(label !== null && { label }),
    ...(status !== null && { status }),
    ...(source_system !== null && { source_system }),
    ...(labels.length > 0 && { labels }),
  };
}

/** The graph over the driver's collections. */
export function mongoGraphStore(db: Db): GraphStore {
  const rows = db.collection<StoredRecord>(GRAPH_COLLECTION);
  const generations = db.collection<Generation>(GRAPH_GENERATION_COLLECTION);
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
      if (next === null) throw new Error('a generation of the graph went away while it was begun');
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
      await rows.deleteMany({ tenant_id: tenantId, _id } as Filter<StoredRecord>);
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

/** Bounds of a generation in the order of `_id`. */
const within = (tenant_id: string, generation: number, after: string | null = null) => ({
  [after === null ? '$gte' : '$gt']: { tenant_id, generation, node: after ?? '' },
  $lt: { tenant_id, generation: generation + 1, node: '' },
});

async function putRecords(rows: Collection<StoredRecord>, documents: readonly StoredRecord[]): Promise<void> {
  if (documents.length === 0) return;
  try {
    // Nearly always they are new, and an insert costs two thirds of an upsert.
    await rows.insertMany([...documents], { ordered: false, writeConcern: DURABLE, forceServerObjectId: true });
    return;
  } catch (error) {
    if (!duplicateKeyOf(error)) throw error;
  }
  const operations = documents.map((document) => ({
    replaceOne: {
      filter: { _id: document._id, read_at: { $lte: document.read_at } } as Filter<StoredRecord>,
      replacement: document,
      upsert: true,
    },
  }));
  try {
    await rows.bulkWrite(operations, { ordered: false, writeConcern: DURABLE });
  } catch (error) {
    // A younger reading stands there.
    if (!duplicateKeyOf(error)) throw error;
  }
}

/** One generation of one tenant; every filter begins with both. */
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
    const found = await this.#rows
      .find({ _id: { $in: ids } } as Filter<StoredRecord>)
      .batchSize(ids.length + 1)
      .toArray();
    return found.map(recordOf);
  }

  async into(target: EdgeTarget, window: EdgeWindow, limit: number, after?: RecordPlace): Promise<GraphRecord[]> {
    // One walk of the index for each kind, which ends at its limit; a record with several kinds comes once.
    const walks = keysOf(target, window).map((key) =>
      this.#rows
        .find(this.#filter(key, window, after))
        .sort({ at: -1, node: -1 })
        .limit(limit)
        .batchSize(limit + 1)
        .toArray(),
    );
    const found = new Map((await Promise.all(walks)).flat().map((row) => [row.node, row]));
    return [...found.values()].sort(newestFirst).slice(0, limit).map(recordOf);
  }

  async intoAny(targets: readonly EdgeTarget[], window: EdgeWindow, limit: number): Promise<GraphRecord[]> {
    const keys = targets.flatMap((target) => keysOf(target, window));
    if (keys.length === 0) return [];
    const found = await this.#rows
      .find(this.#filter({ $in: keys }, window))
      .limit(limit)
      .batchSize(limit + 1)
      .toArray();
    return found.map(recordOf);
  }

  async page(after: NodeId | null, limit: number): Promise<GraphRecord[]> {
    const _id = within(this.#tenantId, this.#generation, after);
    const found = await this.#rows
      .find({ tenant_id: this.#tenantId, _id } as Filter<StoredRecord>)
      .sort({ _id: 1 })
      .limit(limit)
      .batchSize(limit + 1)
      .toArray();
    return found.map(recordOf);
  }

  #filter(
    ends: string | { readonly $in: readonly string[] },
    { sinceMs, untilMs }: EdgeWindow,
    after?: RecordPlace,
  ): Filter<StoredRecord> {
    const at = {
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
    } as Filter<StoredRecord>;
  }
}

function keysOf({ to, kinds }: EdgeTarget, { hidden }: EdgeWindow): string[] {
  return kinds.flatMap((kind) => [`${to}\n${kind}`, ...(hidden ? [`${to}\n${kind}\n${HIDDEN}`] : [])]);
}

const newestFirst = (a: StoredRecord, b: StoredRecord): number =>
  b.at.getTime() - a.at.getTime() || (a.node < b.node ? 1 : a.node > b.node ? -1 : 0);
