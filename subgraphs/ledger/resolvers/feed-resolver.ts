import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { deadlineMs } from '../domain/feed-deadline.js';
import { FEED_MACHINE } from '../domain/feed-states.js';
import {
  SourceFeed,
  SourceFeedFilter,
  SourceFeedInput,
  SourceFeedPage,
  SourceFeedPatch,
  SourceFeedSweep,
} from '../schema/feed.js';
import { deleteFeed, type FeedPatch, noteHeartbeat, registerFeed, updateFeed } from '../service/feed-change.js';
import { getFeed, listFeeds } from '../service/feed-read.js';
import { sweepFeeds } from '../service/feed-sweep.js';
import type { FeedDeps } from '../service/feed-write.js';
import type { FeedRow } from '../service/ports/feed-store.js';

const timeOrNull = (at: Date | null): string | null => at && isoTime(at.getTime());

const instant = (text: string | undefined): number | undefined => (text == null ? undefined : instantOf(text));

/** The clock takes these by itself; no caller may ask for them. */
const BY_THE_CLOCK = new Set(['expire', 'recover']);

function shown(feed: FeedRow): SourceFeed {
  const { watched_from: _, ...rest } = feed;
  const expected = feed.status === 'HEALTHY' || feed.status === 'STALE';
  return {
    ...rest,
    allowed_actions: allowedActions(FEED_MACHINE, feed.status).filter((action) => !BY_THE_CLOCK.has(action)),
    last_heartbeat_at: timeOrNull(feed.last_heartbeat_at),
    last_event_at: timeOrNull(feed.last_event_at),
    due_at: expected ? isoTime(deadlineMs(feed)) : null,
    created_at: isoTime(feed.created_at.getTime()),
    updated_at: isoTime(feed.updated_at.getTime()),
    history: feed.history.map(({ work_id: __, at, ...step }) => ({ ...step, at: isoTime(at.getTime()) })),
  };
}

const FEED_ID = { description: 'The feed.' };

@Resolver()
export class FeedResolver {
  readonly #deps: FeedDeps;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  @Query(() => SourceFeedPage, { description: 'Source feeds of the tenant.' })
  async sourceFeeds(
    @Args(() => SourceFeedFilter) filter: SourceFeedFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<SourceFeed>> {
    const page = await listFeeds(this.#deps, context, {
      limit: filter.limit ?? DEFAULT_PAGE_LIMIT,
      order: filter.order ?? 'desc',
      cursor: filter.cursor ?? undefined,
      fromMs: instant(filter.from),
      toMs: instant(filter.to),
      status: filter.status ?? undefined,
      source_system: filter.source_system ?? undefined,
      format: filter.format ?? undefined,
    });
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => SourceFeed, { nullable: true, description: 'A source feed.' })
  async sourceFeed(
    @Arg('feed_id', () => String, FEED_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<SourceFeed | null> {
    const found = await getFeed(this.#deps, context, id);
    return found && shown(found);
  }

  @Mutation(() => SourceFeed, { description: 'Registers a source feed.' })
  async createSourceFeed(
    @Arg('input', () => SourceFeedInput) input: SourceFeedInput,
    @Ctx() context: RequestContext,
  ): Promise<SourceFeed> {
    const wanted = {
      source_system: input.source_system,
      format: input.format ?? null,
      description: input.description ?? null,
      expected_interval_seconds: input.expected_interval_seconds,
      grace_seconds: input.grace_seconds ?? 0,
    };
    return shown(await registerFeed(this.#deps, context, wanted));
  }

  @Mutation(() => SourceFeed, { description: 'Changes a source feed, pauses it, or ends its pause.' })
  async updateSourceFeed(
    @Arg('feed_id', () => String, FEED_ID) id: string,
    @Arg('input', () => SourceFeedPatch) input: SourceFeedPatch,
    @Ctx() context: RequestContext,
  ): Promise<SourceFeed> {
    const given = Object.entries(input).filter(([, value]) => value !== undefined);
    return shown(await updateFeed(this.#deps, context, id, Object.fromEntries(given) as FeedPatch));
  }

  @Mutation(() => SourceFeed, { description: 'Deletes a source feed.' })
  async deleteSourceFeed(
    @Arg('feed_id', () => String, FEED_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<SourceFeed> {
    return shown(await deleteFeed(this.#deps, context, id));
  }

  @Mutation(() => SourceFeed, { description: 'Notes a sign of life of a source feed.' })
  async sourceFeedHeartbeat(
    @Arg('feed_id', () => String, FEED_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<SourceFeed> {
    return shown(await noteHeartbeat(this.#deps, context, id));
  }

  @Mutation(() => SourceFeedSweep, { description: "Judges the tenant's source feeds now." })
  async sweepSourceFeeds(@Ctx() context: RequestContext): Promise<SourceFeedSweep> {
    const { judged, became_stale, recovered } = await sweepFeeds(this.#deps, context);
    return { judged, became_stale: [...became_stale], recovered: [...recovered] };
  }
}
