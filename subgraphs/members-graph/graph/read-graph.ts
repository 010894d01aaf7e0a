import { fault, problem } from '../../../shared/errors/problem.js';
import { decodeCursor, encodeCursor } from '../../../shared/pagination/cursor.js';
import type { GraphAnswer, GraphPageAnswer } from './domain/answer.js';
import { isRecordNode, type NodeId, parseNode } from './domain/node-id.js';
import type { GraphEdge } from './domain/record.js';
import type { RecordPlace, TenantGraph } from './ports.js';
import { presentGraph } from './show-graph.js';
import type { Expansion, GraphWalk } from './walk.js';

interface NeighborsRequest {
  readonly node: NodeId;
  readonly limit: number;
  readonly cursor?: string;
}

interface Neighbor {
  readonly node: NodeId;
  readonly atMs: number;
  readonly edges: readonly GraphEdge[];
}

/** Lists direct neighbours, the newest first, page by page. @returns null for an unknown node */
export async function neighborsOf(walk: GraphWalk, asked: NeighborsRequest): Promise<GraphPageAnswer | null> {
  const after = asked.cursor === undefined ? undefined : decodeCursor(asked.cursor);
  const [root = asked.node] = await walk.canonicalNodes([asked.node]);
  const begins = after && { atMs: after.atMs, node: nodeOfCursor(after.id) };
  const newest = (place?: RecordPlace) => walk.newestInto(root, asked.limit + 1, place);
  const [out, first] = await Promise.all([walk.outOf([root]), newest(begins)]);
  const edges: GraphEdge[] = [...out.edges];
  let neighbors: Neighbor[] = [];
  for (let into = first; ; into = await newest(into.next)) {
    edges.push(...into.edges);
    neighbors = grouped(root, edges).filter((neighbor) => !begins || isAfter(neighbor, begins));
    if (into.next === null || neighbors.length > asked.limit) break;
  }
  if ((await existingAmong(walk, [root], edges)).length === 0) return null;
  const page = neighbors.slice(0, asked.limit);
  const last = page.at(-1);
  const more = neighbors.length > page.length;
  const nodes = [root, ...new Set(page.map(({ node }) => node).filter((node) => node !== root))];
  const shown = page.flatMap((neighbor) => neighbor.edges);
  const answer = await presentGraph(walk, { nodes, edges: shown, truncated: more || out.truncated });
  return { ...answer, next_cursor: more && last ? encodeCursor({ atMs: last.atMs, id: last.node }) : null };
}

function nodeOfCursor(id: string): NodeId {
  const node = parseNode(id)?.node;
  if (node !== undefined) return node;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/cursor', 'cursor', 'Must be the next_cursor of the page before.')],
  });
}

const isAfter = ({ atMs, node }: Neighbor, place: RecordPlace): boolean =>
  atMs < place.atMs || (atMs === place.atMs && node < place.node);

/** Groups edges by neighbour and time, the newest first. */
function grouped(root: NodeId, edges: readonly GraphEdge[]): Neighbor[] {
  const byKey = new Map<string, { node: NodeId; atMs: number; edges: GraphEdge[] }>();
  for (const edge of edges) {
    const node = edge.from === root ? edge.to : edge.from;
    const key = `${edge.at_ms}\n${node}`;
    const known = byKey.get(key);
    if (known) known.edges.push(edge);
    else byKey.set(key, { node, atMs: edge.at_ms, edges: [edge] });
  }
  return [...byKey.values()].sort((a, b) => b.atMs - a.atMs || (a.node < b.node ? 1 : a.node > b.node ? -1 : 0));
}

interface SubgraphRequest {
  readonly roots: readonly NodeId[];
  readonly depth: number;
  /** Maximum number of nodes, including the roots. */
  readonly limit: number;
}

/** Returns the nodes within `depth` steps of the roots, nearest first. @returns null if no root exists */
export async function subgraphAround(
  walk: GraphWalk,
  { roots, depth, limit }: SubgraphRequest,
): Promise<GraphAnswer | null> {
  const canonical = [...new Set(await walk.canonicalNodes(roots))];
  const first = await walk.edgesAt(canonical, Math.max(limit - canonical.length, 1));
  const existing = await existingAmong(walk, canonical, first.edges);
  if (existing.length === 0) return null;
  const nodes = new Set(existing.slice(0, limit));
  const edges = new Map<string, GraphEdge>();
  let truncated = existing.length > limit;
  let frontier: readonly NodeId[] = [...nodes];
  for (let level = 0; level < depth && frontier.length > 0; level++) {
    const found = level === 0 ? first : await walk.edgesAt(frontier, Math.max(limit - nodes.size, 1));
    const next = taken(found, nodes, limit);
    truncated ||= found.truncated || next.left;
    for (const edge of found.edges) edges.set(keyOf(edge), edge);
    frontier = next.nodes;
  }
  // The last nodes may have edges among themselves; their outgoing edges are already read.
  const among = await walk.outOf(frontier);
  for (const edge of among.edges) edges.set(keyOf(edge), edge);
  const inside = [...edges.values()].filter(({ from, to }) => nodes.has(from) && nodes.has(to));
  return presentGraph(walk, { nodes: [...nodes], edges: inside, truncated });
}

/** Returns the nodes that exist; a node with an edge does. */
async function existingAmong(
  walk: GraphWalk,
  nodes: readonly NodeId[],
  edges: readonly GraphEdge[],
): Promise<readonly NodeId[]> {
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const exists = await Promise.all(nodes.map((node) => joined.has(node) || walk.has(node)));
  return nodes.filter((_, i) => exists[i] === true);
}

const keyOf = ({ from, kind, to }: GraphEdge): string => `${from}\n${kind}\n${to}`;

/** Adds new nodes up to the limit, the newest first. */
function taken(found: Expansion, nodes: Set<NodeId>, limit: number) {
  const fresh: NodeId[] = [];
  let left = false;
  const ordered = [...found.edges].sort((a, b) => b.at_ms - a.at_ms || (keyOf(a) < keyOf(b) ? -1 : 1));
  for (const { from, to } of ordered) {
    for (const node of [from, to]) {
      if (nodes.has(node)) continue;
      if (nodes.size >= limit) left = true;
      else {
        nodes.add(node);
        fresh.push(node);
      }
    }
  }
  return { nodes: fresh, left };
}

/** @throws VALIDATION_ERROR for a cursor with a depth other than 1 */
export function refuseCursorBeyond(depth: number, cursor: string | undefined): void {
  if (depth === 1 || cursor === undefined) return;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/cursor', 'depth', 'Only depth 1 has pages: omit cursor or set depth to 1.')],
  });
}

interface ExportRequest {
  readonly cursor?: string;
  readonly limit: number;
}

/** Reads one page of the whole graph: records by node id, with their outgoing edges. */
export async function exportPage(
  graph: Pick<TenantGraph, 'page'>,
  walk: GraphWalk,
  { cursor, limit }: ExportRequest,
): Promise<GraphPageAnswer> {
  const records = await graph.page(cursor === undefined ? null : placeOf(cursor), limit);
  const nodes = records.map(({ node }) => node);
  const shown = (await walk.recordsOf(nodes)).map(({ node }) => node);
  const { edges, truncated } = await walk.outOf(shown);
  // An edge between events belongs to the page of its `from`.
  const onPage = new Set<NodeId>(shown);
  const outgoing = edges.filter(({ from }) => onPage.has(from));
  const missing = await withoutRecord(walk, outgoing);
  const answer = await presentGraph(walk, { nodes: [...shown, ...missing], edges: outgoing, truncated });
  const last = records.at(-1);
  return { ...answer, next_cursor: records.length < limit || !last ? null : cursorAt(last.node) };
}

/** Returns record nodes without a record, such as a matter that an event names but that does not exist. */
async function withoutRecord(walk: GraphWalk, edges: readonly GraphEdge[]): Promise<readonly NodeId[]> {
  const ends = [...new Set(edges.map(({ to }) => to))].filter(isRecordNode);
  const found = new Set((await walk.recordsOf(ends)).map(({ node }) => node));
  return ends.filter((node) => !found.has(node));
}

const cursorAt = (node: NodeId): string => Buffer.from(JSON.stringify([1, node])).toString('base64url');

/** @throws VALIDATION_ERROR for an invalid cursor */
function placeOf(cursor: string): NodeId {
  const node = textIn(cursor);
  const parsed = node === undefined ? undefined : parseNode(node);
  if (parsed) return parsed.node;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/cursor', 'cursor', 'Must be a next_cursor of this export.')],
  });
}

function textIn(cursor: string): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  const [version, node]: unknown[] = Array.isArray(parsed) ? parsed : [];
  return version === 1 && typeof node === 'string' ? node : undefined;
}
