import type { GraphAnswer } from '../../domain/graph/graph-answer.js';
import type { GraphEdge } from '../../domain/graph/graph-record.js';
import { isRecordNode, type NodeId } from '../../domain/graph/node-id.js';
import { shortestPaths } from '../../domain/graph/short-paths.js';
import type { GraphWalk } from './graph-walk.js';
import { shownAs } from './show-graph.js';

export interface PathsAsked {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly maxLength: number;
  /** Most paths. */
  readonly limit: number;
}

/** Records looked at in one step of a search; a hub shows its newest. */
const MOST_RECORDS = 2_000;
/** Nodes that a side may hold: what is beyond is not searched, and `truncated` says so. */
const MOST_NODES = 20_000;
/** A code or a provider is worth as many records, when it is asked which side to go on from. */
const WEIGHT_OF_HUB = 200;

interface Side {
  readonly seen: Set<NodeId>;
  frontier: readonly NodeId[];
}

/**
 * The shortest paths between two nodes, searched from both ends: a path of n steps lies within what i steps from one end and
 * n − i from the other reach. Null where an end is not there; no path is an answer without any.
 */
export async function pathsBetween(walk: GraphWalk, asked: PathsAsked): Promise<GraphAnswer | null> {
  const [from = asked.from, to = asked.to] = await walk.standingFor([asked.from, asked.to]);
  const areThere = await Promise.all([walk.has(from), walk.has(to)]);
  if (areThere.includes(false)) return null;
  const edges = new Map<string, GraphEdge>();
  const sides: readonly [Side, Side] = [sideOf(from), sideOf(to)];
  let truncated = false;
  for (let steps = 0; steps < asked.maxLength && from !== to; steps++) {
    const side = cheaper(...sides);
    if (side === undefined) break;
    truncated = (await advance(walk, side, edges)) || truncated;
    // What was found with as many steps is complete: a longer search is wanted only while paths are lacking.
    const found = shortestPaths(edges.values(), from, to, steps + 1, asked.limit);
    if (found.length >= asked.limit) break;
  }
  const paths = shortestPaths(edges.values(), from, to, asked.maxLength, asked.limit);
  const nodes = paths.length === 0 ? [from, to] : paths.flat();
  const along = edgesAlong(paths, edges.values());
  const answer = await shownAs(walk, { nodes: [...new Set(nodes)], edges: along, truncated });
  return { ...answer, paths };
}

const sideOf = (node: NodeId): Side => ({ seen: new Set([node]), frontier: [node] });

/** The side whose next step costs less; undefined when neither goes on. */
function cheaper(a: Side, b: Side): Side | undefined {
  const costOf = ({ frontier }: Side): number =>
    frontier.reduce((sum, node) => sum + (isRecordNode(node) ? 1 : WEIGHT_OF_HUB), 0);
  if (a.frontier.length === 0 && b.frontier.length === 0) return undefined;
  // A side that has seen all that it can reach has nothing more to tell, and no path goes past it.
  if (a.frontier.length === 0 || b.frontier.length === 0) return undefined;
  return costOf(a) <= costOf(b) ? a : b;
}

async function advance(walk: GraphWalk, side: Side, edges: Map<string, GraphEdge>): Promise<boolean> {
  const found = await walk.edgesAt(side.frontier, MOST_RECORDS);
  const next: NodeId[] = [];
  let left = false;
  for (const edge of found.edges) {
    edges.set(`${edge.from}\n${edge.kind}\n${edge.to}`, edge);
    for (const node of [edge.from, edge.to]) {
      if (side.seen.has(node)) continue;
      if (side.seen.size >= MOST_NODES) left = true;
      else {
        side.seen.add(node);
        next.push(node);
      }
    }
  }
  side.frontier = next;
  return found.truncated || left;
}

function edgesAlong(paths: readonly (readonly NodeId[])[], edges: Iterable<GraphEdge>): GraphEdge[] {
  const steps = new Set<string>();
  for (const path of paths) {
    for (const [i, node] of path.entries()) {
      const next = path[i + 1];
      if (next !== undefined) steps.add(`${node}\n${next}`).add(`${next}\n${node}`);
    }
  }
  return [...edges].filter(({ from, to }) => steps.has(`${from}\n${to}`));
}
