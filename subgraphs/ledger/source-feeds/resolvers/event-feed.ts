import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import { CONTRACT, type ContractExtension } from '../../../../shared/graph/contract-field.js';
import { BatchedEdges } from '../../../../shared/graph/edges/batched-edges.js';
import { MAX_PAGE_LIMIT } from '../../../../shared/pagination/cursor.js';
import { EventRecord } from '../../events/schema.js';
import { listFeeds, type ReadFeedDeps } from '../change.js';
import { shownFeed } from '../resolver.js';
import { SourceFeed } from '../schema.js';

/** The feeds of events: a page of events costs one list of feeds. */
@Resolver(() => EventRecord)
export class EventFeedResolver {
  readonly #feeds: BatchedEdges<string, SourceFeed | null>;

  constructor(deps: ReadFeedDeps) {
    this.#feeds = new BatchedEdges<string, SourceFeed | null>(async (context, _, sources) => {
      const where = { source_system: [...new Set(sources)] };
      const { items } = await listFeeds(deps, context, { limit: MAX_PAGE_LIMIT, order: 'desc', where });
      const bySource = new Map(items.map((feed) => [feed.source_system, shownFeed(feed)]));
      return sources.map((source) => bySource.get(source) ?? null);
    });
  }

  @Extensions({ [CONTRACT]: { graphOnly: true } satisfies ContractExtension })
  @FieldResolver(() => SourceFeed, {
    nullable: true,
    description: 'The feed of its source system, with status and last sign of life; null if none is registered.',
  })
  feed(@Root() { source_system }: EventRecord, @Ctx() context: RequestContext): Promise<SourceFeed | null> {
    return this.#feeds.load(context, '', source_system);
  }
}
