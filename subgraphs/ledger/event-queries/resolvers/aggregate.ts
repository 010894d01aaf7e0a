import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import { readingOf } from '../../../../shared/auth/reading.js';
import { readAggregate } from '../read-aggregate.js';
import { type EventQueryDeps, readableCondition, readingEvents } from '../reading-events.js';
import { EventAggregate, EventAggregateArgs, shownGroup } from '../schema/aggregate.js';

@Resolver()
export class EventAggregateResolver {
  readonly #deps: EventQueryDeps;

  constructor(deps: EventQueryDeps) {
    this.#deps = deps;
  }

  @Query(() => EventAggregate, { description: 'Groups events by their values, and measures each group.' })
  async eventAggregate(
    @Ctx() context: RequestContext,
    @Args(() => EventAggregateArgs) { by, measures, filter, purpose, limit }: EventAggregateArgs,
  ): Promise<EventAggregate> {
    const reading = readingOf(context, 'events:read', purpose);
    const condition = readableCondition(reading, filter);
    const asked = new Set(measures ?? []);
    const { groups, ...rest } = await readingEvents(this.#deps, context, reading, (reader) =>
      readAggregate(reader, condition, by, asked),
    );
    const items = groups.slice(0, limit).map((group) => shownGroup(by, group));
    return { ...rest, items, truncated: groups.length > limit };
  }
}
