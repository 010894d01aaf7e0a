import type { Document } from 'mongodb';
import { systemClock } from '../../shared/clock/clock.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { mongoLinkStore } from '../../subgraphs/ledger/links/model.js';
import { edgesOfEvents } from '../../subgraphs/ledger/links/read-links.js';
import type { GraphAnswer } from '../../subgraphs/members-graph/graph/domain/answer.js';
import { GRAPH_EDGE_KINDS, type StoredEdgeKind } from '../../subgraphs/members-graph/graph/domain/edge-kinds.js';
import type { NodeId } from '../../subgraphs/members-graph/graph/domain/node-id.js';
import { type GraphRecord, sortedEdges } from '../../subgraphs/members-graph/graph/domain/record.js';
import { pathsBetween } from '../../subgraphs/members-graph/graph/find-paths.js';
import { mongoGraphStore } from '../../subgraphs/members-graph/graph/model/store.js';
import { GraphWalks, type OpenedWalk } from '../../subgraphs/members-graph/graph/open-walk.js';
import { neighborsOf, subgraphAround } from '../../subgraphs/members-graph/graph/read-graph.js';
import { mergeStore } from '../../subgraphs/members-graph/members/model/merges.js';
import { MemoryFacts, memoryGuard } from '../../test/support/memory-facts.js';
import { describeRun, type Figure, type Ratio, type Results, ratioOf, timed } from '../support/measure.js';
import type { Stack } from '../support/stack.js';
import { type RawGraph, rawFacts, rawNeighbors, rawPaths, rawSteps } from './raw-graph.js';

// Compares walks over the graph, over REST and in this process, with the same walks by the raw driver on one database. The raw
// side has a collection of plain edges with an index per direction, and a collection of event facts, for the same answer.
// The rows are written directly, ours in the form that the service writes. Members have 40 events; most have a few codes
// in common.

const EDGES = Number(process.env['BENCH_GRAPH_EDGES'] ?? 100_000);
const EDGES_OF_EVENT = 8;
const EVENTS_OF_MEMBER = 40;
const INSERT = 2_000;
const WALKS = 60;
const ROUNDS = 3;
const RAW = 'bench_graph_edges';
const FACTS = 'bench_graph_facts';
const FIRST_MS = Date.UTC(2025, 0, 1);

const AIM = { neighbors: 5, two: 40, paths: 150, ratio: 1 } as const;

interface Walk {
  readonly name: string;
  readonly aim: number;
  readonly ours: (n: number) => Promise<string>;
  readonly walk: (n: number) => Promise<GraphAnswer | null>;
  readonly edges: (n: number) => Promise<ReadonlySet<string>>;
}

export async function benchGraph(stack: Stack): Promise<Results> {
  const db = stack.raw.db('eas');
  const raw: RawGraph = {
    edges: db.collection<Document>(RAW),
    facts: db.collection<Document>(FACTS),
    tenantId: stack.rest.tenantId,
  };
  const filled = await fill(stack, raw);
  const members = Math.max(2, Math.floor(filled / EDGES_OF_EVENT / EVENTS_OF_MEMBER));
  const figures: Figure[] = [];
  const ratios: Ratio[] = [];
  for (const walk of walksOf(stack, raw, members)) {
    const { figure, rows } = await measured(raw, walk, `${filled} edges, ${members} members`);
    // The ratio is the number of raw walks in the time of one walk of ours.
    const pairs = (column: number) => rows.map((row): [number, number] => [row[column] ?? 0, row[1] ?? 0]);
    figures.push(figure);
    ratios.push(ratioOf(`${walk.name}: in this process / by the raw driver`, AIM.ratio, pairs(2), []));
    ratios.push(ratioOf(`${walk.name}: in this process / by the raw driver, edges alone`, undefined, pairs(3), []));
  }
  await raw.edges.drop();
  await raw.facts.drop();
  return { figures, ratios };
}

/** Measures the ways alternately. @returns the medians of each round, a column per way */
async function measured(raw: RawGraph, { name, aim, ours, walk, edges }: Walk, about: string) {
  const ways = {
    'over REST': async (n: number) => (await ours(n)).length && 1,
    'in this process': async (n: number) => ((await walk(n))?.nodes.length && 1) || 0,
    'by the raw driver, the same answer': async (n: number) => (await rawFacts(raw, await edges(n))) && 1,
    'by the raw driver, edges alone': async (n: number) => (await edges(n)).size && 1,
  };
  for (const way of Object.values(ways)) await timed(WALKS, 1, way);
  const lines: string[] = [about];
  const rows: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const row: number[] = [];
    for (const [way, call] of Object.entries(ways)) {
      const run = await timed(WALKS, 1, (n) => call(n * ROUNDS + round));
      row.push(run.p50Ms);
      lines.push(describeRun(way, run));
    }
    rows.push(row);
  }
  const figure = { name, unit: 'ms (median)', aim, lower: true, values: rows.map(([rest = 0]) => rest), lines };
  return { figure, rows };
}

function walksOf(stack: Stack, raw: RawGraph, members: number): readonly Walk[] {
  const memberAt = (n: number) => `member:M-${(n * 7_919) % members}` as NodeId;
  const over = walksOver(stack);
  return [
    {
      name: 'neighbours of a member (50)',
      aim: AIM.neighbors,
      ours: (n) => stack.rest.get(`/v1/graph/neighbors?node=${memberAt(n)}&limit=50`),
      walk: (n) => over(({ walk }) => neighborsOf(walk, { node: memberAt(n), limit: 50 })),
      edges: (n) => rawNeighbors(raw, memberAt(n), 50),
    },
    {
      name: 'two steps around a member, 500 nodes',
      aim: AIM.two,
      ours: (n) => stack.rest.get(`/v1/graph/subgraph?roots=${memberAt(n)}&depth=2&limit=500`),
      walk: (n) => over(({ walk }) => subgraphAround(walk, { roots: [memberAt(n)], depth: 2, limit: 500 })),
      edges: (n) => rawSteps(raw, [memberAt(n)], 2, 500),
    },
    {
      name: 'paths of at most 4 steps between two members',
      aim: AIM.paths,
      ours: (n) => stack.rest.get(`/v1/graph/paths?from=${memberAt(n)}&to=${memberAt(n + 1)}&limit=5`),
      walk: (n) =>
        over(({ walk }) => pathsBetween(walk, { from: memberAt(n), to: memberAt(n + 1), maxLength: 4, limit: 5 })),
      edges: (n) => rawPaths(raw, memberAt(n), memberAt(n + 1)),
    },
  ];
}

/** Walks like the resolver, on the bench's connection. */
function walksOver(stack: Stack): <T>(read: (opened: OpenedWalk) => Promise<T>) => Promise<T> {
  const db = stack.raw.db('eas');
  const links = mongoLinkStore(db);
  const deps = {
    graph: mongoGraphStore(db),
    linkedEvents: {
      edgesOf: (tenantId: TenantId, ids: readonly string[]) => edgesOfEvents(links.forTenant(tenantId), ids),
    },
    merges: mergeStore({
      db,
      outbox: { relay: async () => {} },
      guard: memoryGuard(new MemoryFacts(), systemClock),
      referenceOf: (_, id) => id,
    }),
    directory: { identityOf: async () => null },
    consent: { decide: () => Promise.reject(new Error('no purpose is stated')) },
  };
  const bounds = { kinds: GRAPH_EDGE_KINDS, window: { hidden: false }, purpose: null };
  const walks = new GraphWalks(deps);
  return (read) => walks.over(stack.rest.tenantId as TenantId, bounds, read);
}

async function fill(stack: Stack, { edges, facts }: RawGraph): Promise<number> {
  const store = mongoGraphStore(stack.raw.db('eas'));
  const tenantId = stack.rest.tenantId as TenantId;
  await edges.createIndexes([{ key: { tenant_id: 1, from: 1, at: -1 } }, { key: { tenant_id: 1, to: 1, at: -1 } }]);
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
    const known = records.map(({ node, at_ms, edges: _, kind: __, ...said }) => ({
      _id: `${tenantId}/${node}` as never,
      node,
      at: new Date(at_ms),
      ...said,
    }));
    const passing = { ordered: false, writeConcern: { w: 1, j: false } } as const;
    await Promise.all([edges.insertMany(plain, passing), facts.insertMany(known, passing)]);
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
    edges: sortedEdges([
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
