import type { NodeId } from './node-id.js';
import type { GraphEdge } from './record.js';

export type Path = readonly NodeId[];

/**
 * Finds the shortest simple paths between two nodes, following edges in both directions. Returns at most `limit` paths, the
 * shortest first, paths of equal length by node id.
 */
export function shortestPaths(
  edges: Iterable<Pick<GraphEdge, 'from' | 'to'>>,
  from: NodeId,
  to: NodeId,
  maxLength: number,
  limit: number,
): readonly Path[] {
  const neighbours = adjacencyOf(edges);
  const left = distancesFrom(neighbours, to, maxLength);
  const found: Path[] = [];
  for (let length = left.get(from) ?? Number.POSITIVE_INFINITY; length <= maxLength && found.length < limit; length++) {
    extend([from], length);
  }
  return found;

  /** Finds paths with exactly `steps` more steps; skips nodes that are too far from the end. */
  function extend(path: NodeId[], steps: number): void {
    const last = path[path.length - 1];
    if (last === undefined || found.length >= limit) return;
    if (steps === 0) {
      if (last === to) found.push([...path]);
      return;
    }
    for (const next of neighbours.get(last) ?? []) {
      // A path ends at its first visit of the end.
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
  neighbours: ReadonlyMap<NodeId, readonly NodeId[]>,
  end: NodeId,
  most: number,
): ReadonlyMap<NodeId, number> {
  const distances = new Map([[end, 0]]);
  let frontier: NodeId[] = [end];
  for (let distance = 1; distance <= most && frontier.length > 0; distance++) {
    const next: NodeId[] = [];
    for (const node of frontier) {
      for (const other of neighbours.get(node) ?? []) {
        if (distances.has(other)) continue;
        distances.set(other, distance);
        next.push(other);
      }
    }
    frontier = next;
  }
  return distances;
}
