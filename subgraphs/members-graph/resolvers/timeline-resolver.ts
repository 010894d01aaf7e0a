import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { type TimelineMember as Identity, TimelineArgs, TimelinePartType } from '../../../shared/graph/timeline.js';
import { EMPTY_PART, type TimelinePart } from '../../../shared/timeline/entry.js';
import { timelineReading, timelineWindow } from '../../../shared/timeline/window.js';
import { MemberTimeline, MemberTimelineArgs } from '../schema/timeline.js';
import { TimelineMember } from '../schema/timeline-member.js';
import type { StoredConsent } from '../service/ports/consent-store.js';
import { type OpenTimelineDeps, openTimeline } from '../service/timeline/open-timeline.js';
import { type TimelineConsentsDeps, timelineConsents } from '../service/timeline/timeline-consents.js';
import { shownMember } from './shown-member.js';

export interface TimelineResolverDeps extends OpenTimelineDeps, TimelineConsentsDeps {}

/** The way to every timeline, and the kinds that this subgraph keeps. */
@Resolver(() => TimelineMember)
export class TimelineResolver {
  readonly #deps: TimelineResolverDeps;

  constructor(deps: TimelineResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => MemberTimeline, { nullable: true, description: 'What is known of a member, in order of time.' })
  async memberTimeline(
    @Args(() => MemberTimelineArgs) { member_id: memberId, ...asked }: MemberTimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<MemberTimeline | null> {
    const opened = await openTimeline(this.#deps, context, memberId, asked);
    if (opened === null) return null;
    return {
      member: opened.member === null ? null : shownMember(opened.member),
      member_ids: [...opened.member_ids],
      identities: opened.member_ids.map((member_id) => ({ member_id })),
    };
  }

  @FieldResolver(() => TimelinePartType, { description: 'Consents that the member gave.' })
  async timeline_consents(
    @Root() { member_id: memberId }: Identity,
    @Args(() => TimelineArgs) asked: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    const reading = timelineReading(context, memberId, asked.purpose);
    const window = timelineWindow(asked);
    if (!window.kinds.has('CONSENT')) return EMPTY_PART;
    return timelineConsents(this.#deps, reading, memberId, window, shownOnTimeline);
  }
}

const isoOrNull = (at: Date | null): string | null => (at === null ? null : isoTime(at.getTime()));

/** What the consent says; who took its steps is read where consents are. */
function shownOnTimeline({ history: _, period, created_at, updated_at, ...rest }: StoredConsent): object {
  return {
    ...rest,
    period: { start: isoOrNull(period.start), end: isoOrNull(period.end) },
    created_at: isoTime(created_at.getTime()),
    updated_at: isoTime(updated_at.getTime()),
  };
}
