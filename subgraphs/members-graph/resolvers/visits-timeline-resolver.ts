import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { type TimelineMember as Identity, TimelineArgs, TimelinePartType } from '../../../shared/graph/timeline.js';
import { EMPTY_PART, type TimelinePart } from '../../../shared/timeline/entry.js';
import { timelineReading, timelineWindow } from '../../../shared/timeline/window.js';
import { TimelineMember } from '../schema/timeline-member.js';
import type { StoredAppointment } from '../service/ports/appointment-store.js';
import type { StoredCareTeamEntry } from '../service/ports/care-team-store.js';
import {
  type TimelineVisitsDeps,
  timelineAppointments,
  timelineCareTeam,
} from '../service/timeline/timeline-visits.js';
import { shownAppointment } from './appointment-resolver.js';
import { shownCareTeamEntry } from './care-team-resolver.js';

/** Appointments and care team on a member's timeline. */
@Resolver(() => TimelineMember)
export class VisitsTimelineResolver {
  readonly #deps: TimelineVisitsDeps;

  constructor(deps: TimelineVisitsDeps) {
    this.#deps = deps;
  }

  @FieldResolver(() => TimelinePartType, { description: 'When the member is, or was, to be seen.' })
  async timeline_appointments(
    @Root() { member_id: memberId }: Identity,
    @Args(() => TimelineArgs) asked: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    const reading = timelineReading(context, memberId, asked.purpose);
    const window = timelineWindow(asked);
    if (!window.kinds.has('APPOINTMENT')) return EMPTY_PART;
    return timelineAppointments(this.#deps, reading, memberId, window, appointmentOnTimeline);
  }

  @FieldResolver(() => TimelinePartType, { description: 'Who cares, or cared, for the member.' })
  async timeline_care_team(
    @Root() { member_id: memberId }: Identity,
    @Args(() => TimelineArgs) asked: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    const reading = timelineReading(context, memberId, asked.purpose);
    const window = timelineWindow(asked);
    if (!window.kinds.has('CARE_TEAM')) return EMPTY_PART;
    return timelineCareTeam(this.#deps, reading, memberId, window, carerOnTimeline);
  }
}

// Who took its steps is read where the records are.
function appointmentOnTimeline(stored: StoredAppointment): object {
  const { history: _, allowed_actions: _actions, ...rest } = shownAppointment(stored);
  return rest;
}

function carerOnTimeline(stored: StoredCareTeamEntry): object {
  const { history: _, allowed_actions: _actions, ...rest } = shownCareTeamEntry(stored);
  return rest;
}
