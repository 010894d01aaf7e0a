import type { GraphEdge } from './graph-record.js';
import type { NodeId } from './node-id.js';

export type Path = readonly NodeId[];

/**
 * The shortest simple paths between two nodes over these edges, either way along each: at most `limit`, the shortest first,
 * and among equals in order of their node ids. The same for the same edges.
 */
export function shortestPaths(
  edges: Iterable<Pick<GraphEdge, 'from' | 'to'>>,
  from: NodeId,
  to: NodeId,
  maxLength: number,
  limit: number,
): readonly Path[] {
  const beside = adjacencyOf(edges);
  const left = distancesFrom(beside, to, maxLength);
  const found: Path[] = [];
  for (let length = left.get(from) ?? Number.POSITIVE_INFINITY; length <= maxLength && found.length < limit; length++) {
    extend([from], length);
  }
  return found;

  /** Paths of exactly this many more steps; a node from which the end cannot be reached in them is not entered. */
  function extend(path: NodeId[], steps: number): void {
    const last = path[path.length - 1];
    if (last === undefined || found.length >= limit) return;
    if (steps === 0) {
      if (last === to) found.push([...path]);
      return;
    }
    for (const next of beside.get(last) ?? []) {
      // An end in the middle is no path to it.
      if (path.includes(next) || (next === to && steps > 1)) continue;
      if ((left.get(next) ?? Number.POSITIVE_INFINITY) > steps - 1) continue;
      path.push(next);
      extend(path, steps - 1);
      path.pop();
    }
  }
}

function adjacencyOf(edges: Iterable<Pick<GraphEdge, 'from' | 'to'>>): ReadonlyMap<NodeId, readonly NodeId[]> {
  const sets = new Map<NodeId, Set<NodeId>>();
  const add = (a: NodeId, b: NodeId): void => {
    const known = sets.get(a);
    if (known) known.add(b);
    else sets.set(a, new Set([b]));
  };
  for (const { from, to } of edges) {
    add(from, to);
    add(to, from);
  }
  return new Map([...sets].map(([node, others]) => [node, [...others].sort()]));
}

function distancesFrom(
  beside: ReadonlyMap<NodeId, readonly NodeId[]>,
  end: NodeId,
  most: number,
): ReadonlyMap<NodeId, number> {
  const distances = new Map([[end, 0]]);
  let frontier: NodeId[] = [end];
  for (let distance = 1; distance <= most && frontier.length > 0; distance++) {
    const next: NodeId[] = [];
    for (const node of frontier) {
      for (const other of beside.get(node) ?? []) {
        if (distances.has(other)) continue;
        distances.set(other, distance);
        next.push(other);
      }
    }
    frontier = next;
  }
  return distances;
}
