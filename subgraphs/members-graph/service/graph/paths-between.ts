import type { GraphAnswer } from '../../domain/graph/graph-answer.js';
import type { GraphEdge } from '../../domain/graph/graph-record.js';
import { isRecordNode, type NodeId } from '../../domain/graph/node-id.js';
import { type Path, shortestPaths } from '../../domain/graph/short-paths.js';
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

/** Sides that cost no more than this each go on at the same time. */
const MOST_TOGETHER = 2 * WEIGHT_OF_HUB;

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
  const edges = new Map<string, GraphEdge>();
  const sides: readonly [Side, Side] = [sideOf(from), sideOf(to)];
  let paths: readonly Path[] = from === to ? [[from]] : [];
  let truncated = false;
  let steps = 0;
  while (steps < asked.maxLength && from !== to) {
    const going = goingOn(sides, asked.maxLength - steps);
    if (going.length === 0) break;
    const were = await Promise.all(going.map((side) => advance(walk, side, edges)));
    truncated ||= were.includes(true);
    steps += going.length;
    if (!haveMet(...sides)) continue;
    paths = shortestPaths(edges.values(), from, to, asked.maxLength, asked.limit);
    // What is no longer than the steps made is complete: a longer search is wanted only while paths are lacking.
    if (paths.length >= asked.limit && paths.every((path) => path.length <= steps + 1)) break;
  }
  if (!(await areThere(walk, sides))) return null;
  const nodes = paths.length === 0 ? [from, to] : paths.flat();
  const along = edgesAlong(paths, edges.values());
  const answer = await shownAs(walk, { nodes: [...new Set(nodes)], edges: along, truncated });
  return { ...answer, paths };
}

const sideOf = (node: NodeId): Side => ({ seen: new Set([node]), frontier: [node] });

function haveMet(a: Side, b: Side): boolean {
  const [few, many] = a.seen.size < b.seen.size ? [a, b] : [b, a];
  for (const node of few.seen) if (many.seen.has(node)) return true;
  return false;
}

/** The sides that take the next step: both where that costs little, else the cheaper; none when a side cannot go on. */
function goingOn(sides: readonly [Side, Side], left: number): readonly Side[] {
  // A side that has seen all that it can reach has nothing more to tell, and no path goes past it.
  if (sides.some(({ frontier }) => frontier.length === 0)) return [];
  const costs = sides.map(({ frontier }) =>
    frontier.reduce((sum, node) => sum + (isRecordNode(node) ? 1 : WEIGHT_OF_HUB), 0),
  );
  if (left > 1 && costs.every((cost) => cost <= MOST_TOGETHER)) return sides;
  const [a = 0, b = 0] = costs;
  return [a <= b ? sides[0] : sides[1]];
}

/** Whether both ends are there: what leads anywhere is, and what was met from the other end. */
async function areThere(walk: GraphWalk, [a, b]: readonly [Side, Side]): Promise<boolean> {
  const isThere = async ({ seen }: Side, other: Side): Promise<boolean> => {
    const [end] = seen;
    if (end === undefined || seen.size > 1) return true;
    return (other.seen.size > 1 && other.seen.has(end)) || walk.has(end);
  };
  return (await Promise.all([isThere(a, b), isThere(b, a)])).every(Boolean);
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
