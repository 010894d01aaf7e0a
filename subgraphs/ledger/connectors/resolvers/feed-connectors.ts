import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import { CONTRACT, type ContractExtension } from '../../../../shared/graph/contract-field.js';
import { BatchedEdges } from '../../../../shared/graph/edges/batched-edges.js';
import { MAX_PAGE_LIMIT } from '../../../../shared/pagination/cursor.js';
import { SourceFeed } from '../../source-feeds/schema.js';
import { listConnectors, type ReadConnectorDeps } from '../read.js';
import { shownConnector } from '../resolver.js';
import { Connector } from '../schema/connector.js';

/** The connectors of source feeds: a page of feeds costs one list of connectors. */
@Resolver(() => SourceFeed)
export class FeedConnectorsResolver {
  readonly #connectors: BatchedEdges<string, readonly Connector[]>;

  constructor(deps: ReadConnectorDeps) {
    this.#connectors = new BatchedEdges<string, readonly Connector[]>(async (context, _, sources) => {
      const where = { source_system: [...new Set(sources)] };
      const { items } = await listConnectors(deps, context, { limit: MAX_PAGE_LIMIT, order: 'desc', where });
      const shown = items.map(shownConnector);
      return sources.map((source) => shown.filter(({ source_system }) => source_system === source));
    });
  }

  @Extensions({ [CONTRACT]: { graphOnly: true } satisfies ContractExtension })
  @FieldResolver(() => [Connector], { description: 'The connectors that receive for its source system, newest first.' })
  connectors(@Root() { source_system }: SourceFeed, @Ctx() context: RequestContext): Promise<readonly Connector[]> {
    return this.#connectors.load(context, '', source_system);
  }
}
