import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { LedgerFollower } from '../../../shared/contracts/ledger-feed.js';
import { readsOriginals } from '../../../shared/disclosure/originals.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { GRAPH_EDGE_KINDS, type GraphEdgeKind, isEdgeKind } from './domain/edge-kinds.js';
import { type NodeId, nodeOf, parseNode } from './domain/node-id.js';
import { pathsBetween } from './find-paths.js';
import { GraphWalks, type OpenedWalk, type OpenWalkDeps } from './open-walk.js';
import { exportPage, neighborsOf, refuseCursorBeyond, subgraphAround } from './read-graph.js';
import {
  DEFAULT_NODES,
  DEFAULT_PATHS,
  DEFAULT_SUBGRAPH_NODES,
  ExportArgs,
  GraphExportPage,
  GraphNeighbors,
  GraphPaths,
  GraphView,
  MAX_DEPTH,
  MemberNeighborhood,
  NeighborArgs,
  NeighborhoodArgs,
  PathArgs,
  SubgraphArgs,
} from './schema.js';

// Parses text arguments into terms of the graph. Every parser throws VALIDATION_ERROR with the name of the argument.

const MAX_ROOTS = 50;

const refuse = (path: string, code: string, message: string) =>
  problem('VALIDATION_ERROR', { errors: [fault(path, code, message)] });

function parseNodeArgument(path: string, text: string): NodeId {
  const node = parseNode(text)?.node;
  if (node !== undefined) return node;
  throw refuse(path, 'node', 'Must be a node `kind:id` of a kind in docs/graph.md.');
}

function parseRoots(path: string, text: string): readonly NodeId[] {
  const nodes = text.split(',').map((one) => parseNodeArgument(path, one.trim().replaceAll('%2C', ',')));
  if (nodes.length <= MAX_ROOTS) return nodes;
  throw refuse(path, 'maxItems', `At most ${MAX_ROOTS} nodes.`);
}

function parseKinds(text: string | null | undefined): readonly GraphEdgeKind[] {
  if (text == null) return GRAPH_EDGE_KINDS;
  const names = new Set(text.split(',').map((kind) => kind.trim().toUpperCase()));
  const kinds = [...names].filter(isEdgeKind);
  if (kinds.length < names.size) throw refuse('/kinds', 'enum', `Must be among ${GRAPH_EDGE_KINDS.join(', ')}.`);
  return kinds;
}

interface Times {
  readonly since?: string | null;
  readonly until?: string | null;
}

function parseTimes({ since, until }: Times): { readonly sinceMs?: number; readonly untilMs?: number } {
  const sinceMs = since == null ? undefined : instantOf(since);
  const untilMs = until == null ? undefined : instantOf(until);
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    throw refuse('/until', 'order', 'Must be later than since.');
  }
  return { ...(sinceMs === undefined ? {} : { sinceMs }), ...(untilMs === undefined ? {} : { untilMs }) };
}

/** Steps around a member by default, and the most nodes of that answer. */
const DEFAULT_HOPS = 2;
const MAX_NEIGHBORHOOD = 1_000;

/** Records of one export page. */
const EXPORT_PAGE = 500;

/** Reads the graph of the caller's tenant. */
@Resolver()
export class GraphResolver {
  readonly #walks: GraphWalks;

  constructor(deps: OpenWalkDeps) {
    this.#walks = new GraphWalks(deps);
  }

  @Query(() => GraphNeighbors, { nullable: true, description: 'Returns the nodes around one node, the newest first.' })
  async graphNeighbors(
    @Ctx() context: RequestContext,
    @Args(() => NeighborArgs) args: NeighborArgs,
  ): Promise<GraphNeighbors | null> {
    const { depth = 1, limit = DEFAULT_NODES, cursor } = args;
    refuseCursorBeyond(depth, cursor ?? undefined);
    const node = parseNodeArgument('/node', args.node);
    const answer = await this.#walked(context, args, ({ walk }) =>
      depth === 1
        ? neighborsOf(walk, { node, limit, ...(cursor == null ? {} : { cursor }) })
        : subgraphAround(walk, { roots: [node], depth, limit: limit + 1 }),
    );
    return answer && { next_cursor: null, ...answer };
  }

  @Query(() => MemberNeighborhood, {
    nullable: true,
    description: 'Returns what is within a number of steps of a member, such as holds and matters.',
  })
  async memberNeighborhood(
    @Ctx() context: RequestContext,
    @Args(() => NeighborhoodArgs) args: NeighborhoodArgs,
  ): Promise<MemberNeighborhood | null> {
    const root = nodeOf('member', args.member_id);
    if (root === undefined) return null;
    const { depth = DEFAULT_HOPS } = args;
    const request = { roots: [root], depth, limit: MAX_NEIGHBORHOOD };
    const answer = await this.#walked(context, args, ({ walk }) => subgraphAround(walk, request));
    if (answer === null || args.node_kinds == null) return answer;
    const kinds = new Set(args.node_kinds);
    const nodes = answer.nodes.filter(({ kind }) => kinds.has(kind));
    const ids = new Set(nodes.map(({ id }) => id));
    return { ...answer, nodes, edges: answer.edges.filter(({ from, to }) => ids.has(from) || ids.has(to)) };
  }

  @Query(() => GraphView, { nullable: true, description: 'Returns the nodes within a number of steps.' })
  async graphSubgraph(
    @Ctx() context: RequestContext,
    @Args(() => SubgraphArgs) args: SubgraphArgs,
  ): Promise<GraphView | null> {
    const roots = parseRoots('/roots', args.roots);
    const { depth = 1, limit = DEFAULT_SUBGRAPH_NODES } = args;
    return this.#walked(context, args, ({ walk }) => subgraphAround(walk, { roots, depth, limit }));
  }

  @Query(() => GraphPaths, { nullable: true, description: 'Returns the shortest paths between two nodes.' })
  async graphPaths(@Ctx() context: RequestContext, @Args(() => PathArgs) args: PathArgs): Promise<GraphPaths | null> {
    const from = parseNodeArgument('/from', args.from);
    const to = parseNodeArgument('/to', args.to);
    const { max_length: maxLength = MAX_DEPTH, limit = DEFAULT_PATHS } = args;
    const request = { from, to, maxLength, limit };
    return this.#walked(context, args, ({ walk }) => pathsBetween(walk, request));
  }

  @Query(() => GraphExportPage, { description: 'Returns the whole graph, page by page.' })
  async graphExport(
    @Ctx() context: RequestContext,
    @Args(() => ExportArgs) args: ExportArgs,
  ): Promise<GraphExportPage> {
    const { cursor } = args;
    return this.#walked(context, args, ({ walk, graph }) =>
      exportPage(graph, walk, { limit: EXPORT_PAGE, ...(cursor == null ? {} : { cursor }) }),
    );
  }

  async #walked<T>(
    context: RequestContext,
    args: Pick<NeighborArgs, 'kinds' | 'since' | 'until' | 'purpose'>,
    read: (opened: OpenedWalk) => Promise<T>,
  ): Promise<T> {
    const tenantId = authorise(context, 'graph:read');
    const { principal } = context;
    const purpose =
      args.purpose == null ? null : { purpose: args.purpose, actor: principal.actorId ?? principal.keyId };
    const window = { ...parseTimes(args), hidden: readsOriginals(principal) };
    return this.#walks.over(tenantId, { kinds: parseKinds(args.kinds), window, purpose, signal: context.signal }, read);
  }
}

/** Serves the ledger: outside the API schema, and forbidden to every key by its scope. */
@Resolver()
export class GraphFollowResolver {
  readonly #follower: LedgerFollower;

  constructor(follower: LedgerFollower) {
    this.#follower = follower;
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, {
    description: 'Notifies the graph of grown chains; returns true to be notified again soon.',
  })
  async graphLedgerGrown(
    @Ctx() context: RequestContext,
    @Arg('chains', () => [String], { description: 'Source systems of the chains.' }) chains: string[],
  ): Promise<boolean> {
    return this.#follower.grown(authorise(context, INTERNAL_SCOPE), chains);
  }
}
