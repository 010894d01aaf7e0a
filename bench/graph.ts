import type { Collection, Document, Filter } from 'mongodb';
import type { TenantId } from '../shared/ids/tenant.js';
import { mongoLinkStore } from '../subgraphs/ledger/model/link-model.js';
import { edgesOfEvents } from '../subgraphs/ledger/service/edges-of-events.js';
import { GRAPH_EDGE_KINDS, type StoredEdgeKind } from '../subgraphs/members-graph/domain/graph/edge-kinds.js';
import { type GraphRecord, settledEdges } from '../subgraphs/members-graph/domain/graph/graph-record.js';
import type { NodeId } from '../subgraphs/members-graph/domain/graph/node-id.js';
import { mongoGraphStore } from '../subgraphs/members-graph/model/graph-repository.js';
import { mergeStore } from '../subgraphs/members-graph/model/merge-model.js';
import type { GraphWalk } from '../subgraphs/members-graph/service/graph/graph-walk.js';
import { openWalk } from '../subgraphs/members-graph/service/graph/open-walk.js';
import { pathsBetween } from '../subgraphs/members-graph/service/graph/paths-between.js';
import { neighborsOf, subgraphAround } from '../subgraphs/members-graph/service/graph/read-graph.js';
import { describeRun, type Figure, type Ratio, ratioOf, timed } from './support/measure.js';
import type { Stack } from './support/stack.js';

// Walks over the graph, over REST and in this process, beside the same walks by the raw driver over a collection of plain edges
// with an index for each direction, on one database. The rows are written straight into both. Members have 40 events; a few codes
// stand on most of them.

const EDGES = Number(process.env['BENCH_GRAPH_EDGES'] ?? 100_000);
const EDGES_OF_EVENT = 8;
const EVENTS_OF_MEMBER = 40;
const INSERT = 2_000;
const WALKS = 60;
const RAW = 'bench_graph_edges';
const FIRST_MS = Date.UTC(2025, 0, 1);

const AIM = { neighbors: 5, two: 40, paths: 150, ratio: 1 } as const;

export interface GraphBench {
  readonly figures: readonly Figure[];
  readonly ratios: readonly Ratio[];
}

export async function benchGraph(stack: Stack): Promise<GraphBench> {
  const db = stack.raw.db('eas');
  const edges = db.collection<Document>(RAW);
  const filled = await fill(stack, edges);
  const members = Math.max(2, Math.floor(filled / EDGES_OF_EVENT / EVENTS_OF_MEMBER));
  const memberAt = (n: number): string => `member:M-${(n * 7_919) % members}`;
  const tenant = stack.rest.tenantId;
  const open = walkOver(stack);
  const walks = [
    {
      name: 'neighbours of a member (50)',
      aim: AIM.neighbors,
      ours: (n: number) => stack.rest.get(`/v1/graph/neighbors?node=${memberAt(n)}&limit=50`),
      walk: async (n: number) => neighborsOf(await open(), { node: memberAt(n) as NodeId, limit: 50 }),
      raw: (n: number) => rawNeighbors(edges, tenant, memberAt(n), 50),
    },
    {
      name: 'two steps around a member, 500 nodes',
      aim: AIM.two,
      ours: (n: number) => stack.rest.get(`/v1/graph/subgraph?roots=${memberAt(n)}&depth=2&limit=500`),
      walk: async (n: number) => subgraphAround(await open(), { roots: [memberAt(n) as NodeId], depth: 2, limit: 500 }),
      raw: (n: number) => rawSteps(edges, tenant, [memberAt(n)], 2, 500),
    },
    {
      name: 'paths of at most 4 steps between two members',
      aim: AIM.paths,
      ours: (n: number) => stack.rest.get(`/v1/graph/paths?from=${memberAt(n)}&to=${memberAt(n + 1)}&limit=5`),
      walk: async (n: number) =>
        pathsBetween(await open(), {
          from: memberAt(n) as NodeId,
          to: memberAt(n + 1) as NodeId,
          maxLength: 4,
          limit: 5,
        }),
      raw: (n: number) => rawPaths(edges, tenant, memberAt(n), memberAt(n + 1)),
    },
  ];
  const figures: Figure[] = [];
  const ratios: Ratio[] = [];
  for (const { name, aim, ours, walk, raw } of walks) {
    await timed(5, 1, async (n) => (await ours(n)).length && 1);
    const pairs: [number, number][] = [];
    const lines: string[] = [`${filled} edges, ${members} members`];
    const medians: number[] = [];
    for (let round = 0; round < 3; round++) {
      const own = await timed(WALKS / 3, 1, async (n) => (await ours(n + round)).length && 1);
      const inside = await timed(WALKS / 3, 1, async (n) => ((await walk(n + round))?.nodes.length && 1) || 0);
      const base = await timed(WALKS / 3, 1, async (n) => (await raw(n + round)) && 1);
      pairs.push([1 / inside.p50Ms, 1 / base.p50Ms]);
      medians.push(own.p50Ms);
      lines.push(describeRun('over REST', own), describeRun('in this process', inside));
      lines.push(describeRun('the same walk by the raw driver', base));
    }
    figures.push({ name, unit: 'ms (median)', aim, lower: true, values: medians, lines });
    ratios.push(ratioOf(`${name}: in this process / by the raw driver`, AIM.ratio, pairs, []));
  }
  await edges.drop();
  return { figures, ratios };
}

/** As the resolver opens one, on the bench's own connection. */
function walkOver(stack: Stack): () => Promise<GraphWalk> {
  const db = stack.raw.db('eas');
  const links = mongoLinkStore(db);
  const deps = {
    graph: mongoGraphStore(db),
    linkedEvents: {
      edgesOf: (tenantId: TenantId, ids: readonly string[]) => edgesOfEvents(links.forTenant(tenantId), ids),
    },
    merges: mergeStore(db, { relay: async () => {} }),
    directory: { identityOf: async () => null },
    consent: { decide: () => Promise.reject(new Error('no purpose is stated')) },
  };
  const bounds = { kinds: GRAPH_EDGE_KINDS, window: { hidden: false }, purpose: null };
  return async () => (await openWalk(deps, stack.rest.tenantId as TenantId, bounds)).walk;
}

async function fill(stack: Stack, edges: Collection<Document>): Promise<number> {
  const store = mongoGraphStore(stack.raw.db('eas'));
  const tenantId = stack.rest.tenantId as TenantId;
  await edges.createIndexes([
    { key: { tenant_id: 1, from: 1, kind: 1, at: -1 } },
    { key: { tenant_id: 1, to: 1, kind: 1, at: -1 } },
  ]);
  const events = Math.floor(EDGES / EDGES_OF_EVENT);
  let written = 0;
  for (let from = 0; from < events; from += INSERT) {
    const records = Array.from({ length: Math.min(INSERT, events - from) }, (_, i) => eventAt(from + i, events));
    await store.put(
      tenantId,
      1,
      records.map((record) => ({ record, readAtMs: FIRST_MS })),
    );
    const plain = records.flatMap(({ node, at_ms, edges: ends }) =>
      ends.map(({ kind, to }) => ({ tenant_id: tenantId, from: node, to, kind, at: new Date(at_ms) })),
    );
    await edges.insertMany(plain, { ordered: false });
    written += plain.length;
  }
  return written;
}

function eventAt(n: number, events: number): GraphRecord {
  const spread = Math.imul(n + 1, 2_654_435_761) >>> 0;
  const members = Math.max(2, Math.floor(events / EVENTS_OF_MEMBER));
  const end = (kind: StoredEdgeKind, to: string) => ({ kind, to: to as NodeId });
  return {
    node: `event:evt_01JQ${String(n).padStart(22, '0')}` as NodeId,
    kind: 'event',
    at_ms: FIRST_MS + n * 1_000,
    label: 'claim_submitted',
    status: 'paid',
    source_system: 'claims',
    category: 'claim',
    labels: [],
    edges: settledEdges([
      end('CONCERNS', `member:M-${n % members}`),
      end('INVOLVES', `provider:${1_000_000_000 + (spread % 5_000)}`),
      end('ABOUT_CLAIM', `claim:claims/C-${n}`),
      end('PROCEDURE', `code:CPT/99${200 + (spread % 15)}`),
      end('PROCEDURE', `code:CPT/7${1_000 + (spread % 3_000)}`),
      end('DIAGNOSIS', `code:ICD10CM/E11.${spread % 10}`),
      end('DIAGNOSIS', `code:ICD10CM/M${10 + (spread % 80)}.${(spread >>> 8) % 1_000}`),
      end('REASON', `code:CARC/${spread % 100}`),
    ]),
  };
}

const other = (edge: Document, node: string): string => String(edge['from'] === node ? edge['to'] : edge['from']);

/** Newest first, either way along an edge. */
async function rawNeighbors(edges: Collection<Document>, tenant_id: string, node: string, limit: number) {
  const kind = { $in: [...GRAPH_EDGE_KINDS] };
  const [out, into] = await Promise.all(
    ['from', 'to'].map((end) =>
      edges
        .find({ tenant_id, [end]: node, kind } as Filter<Document>)
        .sort({ at: -1 })
        .limit(limit)
        .toArray(),
    ),
  );
  return [...(out ?? []), ...(into ?? [])].map((edge) => other(edge, node)).length;
}

/** Level by level, all nodes of a level at once. */
async function rawSteps(
  edges: Collection<Document>,
  tenant_id: string,
  roots: readonly string[],
  depth: number,
  limit: number,
): Promise<number> {
  const seen = new Set(roots);
  let frontier = [...roots];
  for (let level = 0; level < depth && frontier.length > 0; level++) {
    const found = await rawStep(edges, tenant_id, frontier, limit);
    frontier = [];
    for (const node of found) {
      if (seen.has(node) || seen.size >= limit) continue;
      seen.add(node);
      frontier.push(node);
    }
  }
  return seen.size;
}

async function rawStep(edges: Collection<Document>, tenant_id: string, nodes: readonly string[], limit: number) {
  const among = { $in: [...nodes] };
  const [out, into] = await Promise.all(
    ['from', 'to'].map((end) =>
      edges
        .find({ tenant_id, [end]: among } as Filter<Document>)
        .limit(limit * 10)
        .toArray(),
    ),
  );
  return [...(out ?? []), ...(into ?? [])].flatMap(({ from, to }) => [String(from), String(to)]);
}

/** Two steps from each end, and where they meet. */
async function rawPaths(edges: Collection<Document>, tenant_id: string, from: string, to: string): Promise<number> {
  const reach = async (root: string): Promise<Set<string>> => {
    const one = await rawStep(edges, tenant_id, [root], 500);
    return new Set([...one, ...(await rawStep(edges, tenant_id, [...new Set(one)], 500))]);
  };
  const [a, b] = [await reach(from), await reach(to)];
  return [...a].filter((node) => b.has(node)).length + 1;
}
