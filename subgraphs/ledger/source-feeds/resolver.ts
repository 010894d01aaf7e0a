import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { referencesTo } from '../../../shared/graph/edges/references.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import {
  deleteFeed,
  type FeedDeps,
  getFeed,
  listFeeds,
  namedFeeds,
  noteHeartbeat,
  type ReadFeedDeps,
  registerFeed,
  updateFeed,
} from './change.js';
import { deadlineMs } from './domain/deadline.js';
import { FEED_MACHINE } from './domain/states.js';
import type { FeedRow } from './ports.js';
import {
  SourceFeed,
  SourceFeedFilter,
  SourceFeedInput,
  SourceFeedPage,
  SourceFeedPatch,
  SourceFeedSweep,
} from './schema.js';
import { sweepFeeds } from './sweep.js';

/** The service alone takes these actions. */
const SERVICE_ACTIONS: ReadonlySet<string> = new Set(['expire', 'recover']);

export const shownFeed = showing(SourceFeed, (feed: FeedRow) => ({
  allowed_actions: allowedActions(FEED_MACHINE, feed.status).filter((action) => !SERVICE_ACTIONS.has(action)),
  due_at: feed.status === 'HEALTHY' || feed.status === 'STALE' ? isoTime(deadlineMs(feed)) : null,
}));

/** Resolves references to feeds under the scope of `sourceFeed`. */
export const feedReferences = (deps: ReadFeedDeps) =>
  referencesTo('feed_id', 'feed', async (context, ids) => (await namedFeeds(deps, context, ids)).map(shownFeed));

const FEED_ID = { description: 'Identifier of the feed.' };

@Resolver()
export class FeedResolver {
  readonly #deps: FeedDeps;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  @Query(() => SourceFeedPage, { description: 'Lists the source feeds of the tenant.' })
  async sourceFeeds(
    @Args(() => SourceFeedFilter) filter: SourceFeedFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<SourceFeed>> {
    return mapPage(await listFeeds(this.#deps, context, listQueryOf(filter)), shownFeed);
  }

  @Query(() => SourceFeed, { nullable: true, description: 'Returns a source feed.' })
  async sourceFeed(
    @Arg('feed_id', () => String, FEED_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<SourceFeed | null> {
    const found = await getFeed(this.#deps, context, id);
    return found && shownFeed(found);
  }

  @Mutation(() => SourceFeed, { description: 'Registers a source feed.' })
  async createSourceFeed(
    @Arg('input', () => SourceFeedInput) input: SourceFeedInput,
    @Ctx() context: RequestContext,
  ): Promise<SourceFeed> {
    return shownFeed(await registerFeed(this.#deps, context, SourceFeedInput.complete(input)));
  }

  @Mutation(() => SourceFeed, { description: 'Changes, pauses or resumes a source feed.' })
  async updateSourceFeed(
    @Arg('feed_id', () => String, FEED_ID) id: string,
    @Arg('input', () => SourceFeedPatch) { status, revision, ...input }: SourceFeedPatch,
    @Ctx() context: RequestContext,
  ): Promise<SourceFeed> {
    const patch = { status, revision, members: SourceFeedPatch.given(input) };
    return shownFeed(await updateFeed(this.#deps, context, id, patch));
  }

  @Mutation(() => SourceFeed, { description: 'Deletes a source feed.' })
  async deleteSourceFeed(
    @Arg('feed_id', () => String, FEED_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<SourceFeed> {
    return shownFeed(await deleteFeed(this.#deps, context, id));
  }

  @Mutation(() => SourceFeed, { description: 'Stores a heartbeat of a source feed.' })
  async sourceFeedHeartbeat(
    @Arg('feed_id', () => String, FEED_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<SourceFeed> {
    return shownFeed(await noteHeartbeat(this.#deps, context, id));
  }

  @Mutation(() => SourceFeedSweep, { description: "Sweeps the tenant's source feeds now." })
  sweepSourceFeeds(@Ctx() context: RequestContext): Promise<SourceFeedSweep> {
    return sweepFeeds(this.#deps, context);
  }
}
