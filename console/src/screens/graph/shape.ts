import type { Api } from '../../api/client';

export type GraphView = Pick<Api<'GraphView'>, 'nodes' | 'edges'>;

interface Shape {
  readonly start: string;
  /** Kinds of nodes that are not shown. */
  readonly hidden: ReadonlySet<string>;
  /** Nodes with more edges than this are not shown; null shows all. */
  readonly maxEdges: number | null;
  /** Edges and records after this time are not shown; null shows all. */
  readonly untilMs: number | null;
  /** Nodes that show nothing behind them. */
  readonly collapsed: ReadonlySet<string>;
}

const keyOf = (edge: Api<'GraphEdge'>): string => `${edge.from}\n${edge.to}\n${edge.kind}\n${edge.event_id ?? ''}`;

/** Joins the answers of several nodes. */
export function joined(views: readonly GraphView[]): GraphView {
  const nodes = new Map(views.flatMap((view) => view.nodes.map((node) => [node.id, node] as const)));
  const edges = new Map(views.flatMap((view) => view.edges.map((edge) => [keyOf(edge), edge] as const)));
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

const isBy = (at: string | null | undefined, untilMs: number | null): boolean =>
  untilMs === null || !at || Date.parse(at) <= untilMs;

/** The part of a graph that is reached from its start over what the shape shows. The start is always shown. */
export function shaped(view: GraphView, shape: Shape): GraphView {
  const degrees = degreesOf(view.edges);
  const visible = new Set(
    view.nodes
      .filter(
        ({ id, kind, at }) =>
          id === shape.start ||
          (!shape.hidden.has(kind) &&
            isBy(at, shape.untilMs) &&
            (shape.maxEdges === null || (degrees.get(id) ?? 0) <= shape.maxEdges)),
      )
      .map(({ id }) => id),
  );
  const edges = view.edges.filter(
    ({ from, to, at }) => visible.has(from) && visible.has(to) && isBy(at, shape.untilMs),
  );
  const reached = reachedFrom(shape.start, edges, shape.collapsed);
  return {
    nodes: view.nodes.filter(({ id }) => reached.has(id)),
    edges: edges.filter(({ from, to }) => reached.has(from) && reached.has(to)),
  };
}

function degreesOf(edges: GraphView['edges']): ReadonlyMap<string, number> {
  const degrees = new Map<string, number>();
  for (const { from, to } of edges) for (const id of [from, to]) degrees.set(id, (degrees.get(id) ?? 0) + 1);
  return degrees;
}

function reachedFrom(start: string, edges: GraphView['edges'], collapsed: ReadonlySet<string>): ReadonlySet<string> {
  const near = new Map<string, string[]>();
  const note = (from: string, to: string): void => void (near.get(from)?.push(to) ?? near.set(from, [to]));
  for (const { from, to } of edges) {
    note(from, to);
    note(to, from);
  }
  const reached = new Set([start]);
  // A set grows while it is walked.
  for (const id of reached) {
    if (collapsed.has(id)) continue;
    for (const other of near.get(id) ?? []) reached.add(other);
  }
  return reached;
}

/** The first and last time of the edges; null without times. */
export function spanOf(edges: GraphView['edges']): readonly [fromMs: number, toMs: number] | null {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { at } of edges) {
    const ms = at ? Date.parse(at) : Number.NaN;
    if (Number.isNaN(ms)) continue;
    from = Math.min(from, ms);
    to = Math.max(to, ms);
  }
  return from < to ? [from, to] : null;
}
