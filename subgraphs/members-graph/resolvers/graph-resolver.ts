import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
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
  NeighborArgs,
  PathArgs,
  SubgraphArgs,
} from '../schema/graph.js';
import { askedKinds, askedNode, askedRoots, askedTimes } from '../service/graph/asked.js';
import { exportPage } from '../service/graph/export-graph.js';
import { GraphWalks, type OpenedWalk, type OpenWalkDeps } from '../service/graph/open-walk.js';
import { pathsBetween } from '../service/graph/paths-between.js';
import { neighborsOf, refuseCursorBeyond, subgraphAround } from '../service/graph/read-graph.js';

/** Records of a page of the export. */
const EXPORT_PAGE = 500;

/** What connects records: read for a tenant alone, whatever node is named. */
@Resolver()
export class GraphResolver {
  readonly #walks: GraphWalks;

  constructor(deps: OpenWalkDeps) {
    this.#walks = new GraphWalks(deps);
  }

  @Query(() => GraphNeighbors, { nullable: true, description: 'Nodes around one node, the newest first.' })
  async graphNeighbors(
    @Ctx() context: RequestContext,
    @Args(() => NeighborArgs) args: NeighborArgs,
  ): Promise<GraphNeighbors | null> {
    const { depth = 1, limit = DEFAULT_NODES, cursor } = args;
    refuseCursorBeyond(depth, cursor ?? undefined);
    const node = askedNode('/node', args.node);
    const answer = await this.#walked(context, args, ({ walk }) =>
      depth === 1
        ? neighborsOf(walk, { node, limit, ...(cursor == null ? {} : { cursor }) })
        : subgraphAround(walk, { roots: [node], depth, limit: limit + 1 }),
    );
    return answer && ({ next_cursor: null, ...answer } as GraphNeighbors);
  }

  @Query(() => GraphView, { nullable: true, description: 'What can be reached from nodes in so many steps.' })
  async graphSubgraph(
    @Ctx() context: RequestContext,
    @Args(() => SubgraphArgs) args: SubgraphArgs,
  ): Promise<GraphView | null> {
    const roots = askedRoots('/roots', args.roots);
    const { depth = 1, limit = DEFAULT_SUBGRAPH_NODES } = args;
    const answer = await this.#walked(context, args, ({ walk }) => subgraphAround(walk, { roots, depth, limit }));
    return answer as GraphView | null;
  }

  @Query(() => GraphPaths, { nullable: true, description: 'The shortest ways from one node to another.' })
  async graphPaths(@Ctx() context: RequestContext, @Args(() => PathArgs) args: PathArgs): Promise<GraphPaths | null> {
    const from = askedNode('/from', args.from);
    const to = askedNode('/to', args.to);
    const { max_length: maxLength = MAX_DEPTH, limit = DEFAULT_PATHS } = args;
    const asked = { from, to, maxLength, limit };
    return (await this.#walked(context, args, ({ walk }) => pathsBetween(walk, asked))) as GraphPaths | null;
  }

  @Query(() => GraphExportPage, { description: 'The whole graph, page by page.' })
  async graphExport(
    @Ctx() context: RequestContext,
    @Args(() => ExportArgs) args: ExportArgs,
  ): Promise<GraphExportPage> {
    const { cursor } = args;
    const page = await this.#walked(context, args, ({ walk, graph }) =>
      exportPage(graph, walk, { limit: EXPORT_PAGE, ...(cursor == null ? {} : { cursor }) }),
    );
    return page as GraphExportPage;
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
    const window = { ...askedTimes(args), hidden: principal.scopes.has('documents:unredacted') };
    return this.#walks.over(tenantId, { kinds: askedKinds(args.kinds), window, purpose }, read);
  }
}
