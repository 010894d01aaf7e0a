import type { GraphPathsAnswer } from './domain/answer.js';
import { isRecordNode, type NodeId } from './domain/node-id.js';
import type { GraphEdge } from './domain/record.js';
import { type Path, shortestPaths } from './domain/short-paths.js';
import { presentGraph } from './show-graph.js';
import type { GraphWalk } from './walk.js';

interface PathsRequest {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly maxLength: number;

  readonly limit: number;
}

/** Records read in one step of a search; a hub contributes its newest. */
const MAX_RECORDS = 2_000;
/** Nodes that one side may hold; beyond that the search is truncated. */
const MAX_NODES = 20_000;
/** Estimated records behind a code or a provider. */
const HUB_COST = 200;
/** Both sides advance together while each costs no more than this. */
const MAX_COST_TOGETHER = 2 * HUB_COST;

/** One end of a bidirectional search. */
interface Side {
  readonly seen: Set<NodeId>;
  frontier: readonly NodeId[];
}

/**
 * Finds the shortest paths between two nodes by a search from both ends.
 *
 * @returns null if an end does not exist; an answer without paths if none connects them
 */
export async function pathsBetween(walk: GraphWalk, asked: PathsRequest): Promise<GraphPathsAnswer | null> {
  const [from = asked.from, to = asked.to] = await walk.canonicalNodes([asked.from, asked.to]);
  const edges = new Map<string, GraphEdge>();
  const sides: readonly [Side, Side] = [sideOf(from), sideOf(to)];
  let paths: readonly Path[] = from === to ? [[from]] : [];
  let truncated = false;
  let steps = 0;
  while (steps < asked.maxLength && from !== to) {
    const going = sidesToAdvance(sides, asked.maxLength - steps);
    if (going.length === 0) break;
    const limited = await Promise.all(going.map((side) => advance(walk, side, edges)));
    truncated ||= limited.includes(true);
    steps += going.length;
    if (!haveMet(...sides)) continue;
    paths = shortestPaths(edges.values(), from, to, asked.maxLength, asked.limit);
    // Paths up to the searched length are complete; search further only if paths are missing.
    if (paths.length >= asked.limit && paths.every((path) => path.length <= steps + 1)) break;
  }
  if (!(await endsExist(walk, sides))) return null;
  const nodes = paths.length === 0 ? [from, to] : paths.flat();
  const along = edgesAlong(paths, edges.values());
  const answer = await presentGraph(walk, { nodes: [...new Set(nodes)], edges: along, truncated });
  return { ...answer, paths };
}

const sideOf = (node: NodeId): Side => ({ seen: new Set([node]), frontier: [node] });

function haveMet(a: Side, b: Side): boolean {
  const [few, many] = a.seen.size < b.seen.size ? [a, b] : [b, a];
  for (const node of few.seen) if (many.seen.has(node)) return true;
  return false;
}

/** Returns the sides that advance: both if cheap, otherwise the cheaper; none if a side is exhausted. */
function sidesToAdvance(sides: readonly [Side, Side], left: number): readonly Side[] {
  // No path leads beyond an exhausted side.
  if (sides.some(({ frontier }) => frontier.length === 0)) return [];
  const costs = sides.map(({ frontier }) =>
    frontier.reduce((sum, node) => sum + (isRecordNode(node) ? 1 : HUB_COST), 0),
  );
  if (left > 1 && costs.every((cost) => cost <= MAX_COST_TOGETHER)) return sides;
  const [a = 0, b = 0] = costs;
  return [a <= b ? sides[0] : sides[1]];
}

/** True if both ends exist. An end with edges, or reached from the other side, exists. */
async function endsExist(walk: GraphWalk, [a, b]: readonly [Side, Side]): Promise<boolean> {
  const exists = async ({ seen }: Side, other: Side): Promise<boolean> => {
    const [end] = seen;
    if (end === undefined || seen.size > 1) return true;
    return (other.seen.size > 1 && other.seen.has(end)) || walk.has(end);
  };
  return (await Promise.all([exists(a, b), exists(b, a)])).every(Boolean);
}

/** Expands a side by one step. @returns whether a limit cut it */
async function advance(walk: GraphWalk, side: Side, edges: Map<string, GraphEdge>): Promise<boolean> {
  const found = await walk.edgesAt(side.frontier, MAX_RECORDS);
  const next: NodeId[] = [];
  let left = false;
  for (const edge of found.edges) {
    edges.set(`${edge.from}\n${edge.kind}\n${edge.to}`, edge);
    for (const node of [edge.from, edge.to]) {
      if (side.seen.has(node)) continue;
      if (side.seen.size >= MAX_NODES) left = true;
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
