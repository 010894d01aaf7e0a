import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { type TimelineMember as Member, TimelineArgs, TimelinePartType } from '../../../shared/graph/timeline.js';
import { EMPTY_PART, type TimelinePart } from '../../../shared/timeline/entry.js';
import { timelineReading, timelineWindow } from '../../../shared/timeline/window.js';
import { TimelineMember } from '../schema/timeline-member.js';
import { type TimelineBundlesDeps, timelineBundles } from '../service/timeline-bundles.js';

/** What the bundles know of a member. */
@Resolver(() => TimelineMember)
export class TimelineResolver {
  readonly #deps: TimelineBundlesDeps;

  constructor(deps: TimelineBundlesDeps) {
    this.#deps = deps;
  }

  @FieldResolver(() => TimelinePartType, { description: 'Bundles over the member.' })
  async timeline_bundles(
    @Root() { member_id: memberId }: Member,
    @Args(() => TimelineArgs) asked: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    const reading = timelineReading(context, memberId, asked.purpose);
    const window = timelineWindow(asked);
    return window.kinds.has('BUNDLE') ? timelineBundles(this.#deps, reading, memberId, window) : EMPTY_PART;
  }
}
