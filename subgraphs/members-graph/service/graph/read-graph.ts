import { fault, problem } from '../../../../shared/errors/problem.js';
import { decodeCursor, encodeCursor } from '../../../../shared/pagination/cursor.js';
import type { GraphAnswer } from '../../domain/graph/graph-answer.js';
import type { GraphEdge } from '../../domain/graph/graph-record.js';
import type { NodeId } from '../../domain/graph/node-id.js';
import type { RecordPlace } from '../ports/graph-store.js';
import type { Expansion, GraphWalk } from './graph-walk.js';
import { shownAs } from './show-graph.js';

/** Neighbours of one node, the newest first, and where the list goes on. */
export interface NeighborsAsked {
  readonly node: NodeId;
  readonly limit: number;
  readonly cursor?: string;
}

interface Neighbor {
  readonly node: NodeId;
  readonly atMs: number;
  readonly edges: readonly GraphEdge[];
}

/** Depth 1: a list in a fixed order, so that a page always brings new neighbours. Null for a node that is not there. */
export async function neighborsOf(walk: GraphWalk, asked: NeighborsAsked): Promise<GraphAnswer | null> {
  const after = asked.cursor === undefined ? undefined : decodeCursor(asked.cursor);
  const [root = asked.node] = await walk.standingFor([asked.node]);
  const begins = after && { atMs: after.atMs, node: after.id as NodeId };
  const newest = (place?: RecordPlace) => walk.newestInto(root, asked.limit + 1, place);
  const [out, first] = await Promise.all([walk.outOf([root]), newest(begins)]);
  const edges: GraphEdge[] = [...out.edges];
  let neighbors: Neighbor[] = [];
  for (let into = first; ; into = await newest(into.next)) {
    edges.push(...into.edges);
    neighbors = grouped(root, edges).filter((neighbor) => !begins || isAfter(neighbor, begins));
    if (into.next === null || neighbors.length > asked.limit) break;
  }
  if ((await thereAmong(walk, [root], edges)).length === 0) return null;
  const page = neighbors.slice(0, asked.limit);
  const last = page.at(-1);
  const more = neighbors.length > page.length;
  const nodes = [root, ...new Set(page.map(({ node }) => node).filter((node) => node !== root))];
  const shown = page.flatMap((neighbor) => neighbor.edges);
  const answer = await shownAs(walk, { nodes, edges: shown, truncated: more || out.truncated });
  return { ...answer, next_cursor: more && last ? encodeCursor({ atMs: last.atMs, id: last.node }) : null };
}

const isAfter = ({ atMs, node }: Neighbor, place: RecordPlace): boolean =>
  atMs < place.atMs || (atMs === place.atMs && node < place.node);

/** By neighbour and time: what joins two nodes at one time stands together. */
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

export interface SubgraphAsked {
  readonly roots: readonly NodeId[];
  readonly depth: number;
  /** Most nodes, the roots among them. */
  readonly limit: number;
}

/** What can be reached from the roots in so many steps, nearest first. Null where none of them is there. */
export async function subgraphAround(
  walk: GraphWalk,
  { roots, depth, limit }: SubgraphAsked,
): Promise<GraphAnswer | null> {
  const standing = [...new Set(await walk.standingFor(roots))];
  const first = await walk.edgesAt(standing, Math.max(limit - standing.length, 1));
  const there = await thereAmong(walk, standing, first.edges);
  if (there.length === 0) return null;
  const nodes = new Set(there.slice(0, limit));
  const edges = new Map<string, GraphEdge>();
  let truncated = there.length > limit;
  let frontier: readonly NodeId[] = [...nodes];
  for (let level = 0; level < depth && frontier.length > 0; level++) {
    const found = level === 0 ? first : await walk.edgesAt(frontier, Math.max(limit - nodes.size, 1));
    const next = taken(found, nodes, limit);
    truncated ||= found.truncated || next.left;
    for (const edge of found.edges) edges.set(keyOf(edge), edge);
    frontier = next.nodes;
  }
  // Those that were reached last have edges among themselves and back; what goes out from a record is at hand.
  const among = await walk.outOf(frontier);
  for (const edge of among.edges) edges.set(keyOf(edge), edge);
  const inside = [...edges.values()].filter(({ from, to }) => nodes.has(from) && nodes.has(to));
  return shownAs(walk, { nodes: [...nodes], edges: inside, truncated });
}

/** What has an edge is there; only of what has none it is asked. */
async function thereAmong(
  walk: GraphWalk,
  nodes: readonly NodeId[],
  edges: readonly GraphEdge[],
): Promise<readonly NodeId[]> {
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const areThere = await Promise.all(nodes.map((node) => joined.has(node) || walk.has(node)));
  return nodes.filter((_, i) => areThere[i] === true);
}

const keyOf = ({ from, kind, to }: GraphEdge): string => `${from}\n${kind}\n${to}`;

/** Adds what is new, newest first, while there is room. */
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

/** @throws VALIDATION_ERROR: pages are of direct neighbours alone. */
export function refuseCursorBeyond(depth: number, cursor: string | undefined): void {
  if (depth === 1 || cursor === undefined) return;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/cursor', 'depth', 'Pages are of direct neighbours: a cursor goes with depth 1.')],
  });
}
