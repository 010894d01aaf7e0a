import { Args, Ctx, Extensions, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { ListWindow } from '../../../shared/db/keyset.js';
import { CONTRACT, type ContractExtension } from '../../../shared/graph/contract-field.js';
import { type TimelineMember as Identity, TimelineArgs, TimelinePartType } from '../../../shared/graph/timeline.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { EMPTY_PART, type TimelinePart } from '../../../shared/timeline/entry.js';
import type { TimelineKind } from '../../../shared/timeline/kinds.js';
import { timelineReading, timelineWindow } from '../../../shared/timeline/window.js';
import { type AppointmentStore, type StoredAppointment, shownAppointment } from '../appointments/index.js';
import { type CareTeamStore, type StoredCareTeamEntry, shownCareTeamEntry } from '../care-team/index.js';
import { type ConsentStore, type StoredConsent, shownConsent } from '../consent/index.js';
import { shownMember } from '../members/index.js';
import { Member } from '../members/schema.js';
import { type OpenTimelineDeps, openTimeline, type TimelineSource, timelinePart } from './open-timeline.js';
import { MemberTimeline, MemberTimelineArgs, TimelineMember } from './schema.js';

interface TimelineResolverDeps extends OpenTimelineDeps {
  readonly consents: ConsentStore;
  readonly appointments: AppointmentStore;
  readonly careTeam: CareTeamStore;
  readonly consent: ConsentGate;
}

interface MemberQuery extends ListWindow {
  readonly where: { readonly member_id: string };
}

// The timeline shows the content of records; their steps are read from the records themselves.
const CONSENTS: TimelineSource<StoredConsent> = {
  category: 'consent',
  entryOf: (stored) => {
    const { consent_id: id, created_at: at, decision: type, status } = stored;
    const { history: _, allowed_actions: __, in_force: ___, ...record } = shownConsent(stored, at.getTime());
    return { kind: 'CONSENT', id, at, type, status, record };
  },
};

const APPOINTMENTS: TimelineSource<StoredAppointment> = {
  category: 'appointment',
  entryOf: (stored) => {
    const { appointment_id: id, takes_place: at, service_type: type, status } = stored;
    const { history: _, allowed_actions: __, ...record } = shownAppointment(stored);
    return { kind: 'APPOINTMENT', id, at, type, status, record };
  },
};

const CARE_TEAM: TimelineSource<StoredCareTeamEntry> = {
  category: 'care-team',
  entryOf: (stored) => {
    const { care_team_id: id, created_at: at, role: type, status } = stored;
    const { history: _, allowed_actions: __, ...record } = shownCareTeamEntry(stored);
    return { kind: 'CARE_TEAM', id, at, type, status, record };
  },
};

async function timelineOf(
  deps: TimelineResolverDeps,
  context: RequestContext,
  memberId: string,
  args: TimelineArgs,
): Promise<MemberTimeline | null> {
  const opened = await openTimeline(deps, context, memberId, args);
  if (opened === null) return null;
  return {
    member: opened.member && shownMember(opened.member),
    member_ids: [...opened.member_ids],
    identities: opened.member_ids.map((member_id) => ({ member_id })),
  };
}

/** Leads from a member to its timeline; each one is a read that custody records. */
@Resolver(() => Member)
export class MemberTimelineResolver {
  readonly #deps: TimelineResolverDeps;

  constructor(deps: TimelineResolverDeps) {
    this.#deps = deps;
  }

  @Extensions({ [CONTRACT]: { graphOnly: true } satisfies ContractExtension })
  @FieldResolver(() => MemberTimeline, {
    nullable: true,
    description: 'Timeline of the person. The read of it is an act of custody.',
  })
  timeline(
    @Root() { member_id }: Member,
    @Args(() => TimelineArgs) args: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<MemberTimeline | null> {
    return timelineOf(this.#deps, context, member_id, args);
  }
}

/** Opens every timeline, and lists the kinds of records of this subgraph. */
@Resolver(() => TimelineMember)
export class TimelineResolver {
  readonly #deps: TimelineResolverDeps;

  constructor(deps: TimelineResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => MemberTimeline, { nullable: true, description: 'Returns the timeline of a member.' })
  async memberTimeline(
    @Args(() => MemberTimelineArgs) { member_id: memberId, ...args }: MemberTimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<MemberTimeline | null> {
    return timelineOf(this.#deps, context, memberId, args);
  }

  @FieldResolver(() => TimelinePartType, { description: 'Consents of the member.' })
  async timeline_consents(
    @Root() member: Identity,
    @Args(() => TimelineArgs) args: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    return this.#part('CONSENT', member, args, context, CONSENTS, (tenantId, query) =>
      this.#deps.consents(tenantId).page(query),
    );
  }

  @FieldResolver(() => TimelinePartType, { description: 'Appointments of the member.' })
  async timeline_appointments(
    @Root() member: Identity,
    @Args(() => TimelineArgs) args: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    return this.#part('APPOINTMENT', member, args, context, APPOINTMENTS, (tenantId, query) =>
      this.#deps.appointments(tenantId).page(query),
    );
  }

  @FieldResolver(() => TimelinePartType, { description: 'Carers of the member.' })
  async timeline_care_team(
    @Root() member: Identity,
    @Args(() => TimelineArgs) args: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    return this.#part('CARE_TEAM', member, args, context, CARE_TEAM, (tenantId, query) =>
      this.#deps.careTeam(tenantId).page(query),
    );
  }

  async #part<Row>(
    kind: TimelineKind,
    { member_id: memberId }: Identity,
    args: TimelineArgs,
    context: RequestContext,
    source: TimelineSource<Row>,
    pageOf: (tenantId: TenantId, query: MemberQuery) => Promise<Page<Row>>,
  ): Promise<TimelinePart> {
    const reading = timelineReading(context, memberId, args.purpose);
    const window = timelineWindow(args);
    if (!window.kinds.has(kind)) return EMPTY_PART;
    return timelinePart(this.#deps.consent, reading, memberId, window, {
      ...source,
      page: (range) => pageOf(reading.tenantId, { ...range, where: { member_id: memberId } }),
    });
  }
}
