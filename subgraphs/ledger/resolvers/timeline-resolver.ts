import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import { type TimelineMember as Member, TimelineArgs, TimelinePartType } from '../../../shared/graph/timeline.js';
import { EMPTY_PART, type TimelinePart } from '../../../shared/timeline/entry.js';
import { timelineReading, timelineWindow } from '../../../shared/timeline/window.js';
import { TimelineMember } from '../schema/timeline-member.js';
import type { RedactionStore } from '../service/ports/redaction-store.js';
import type { TenantContexts } from '../service/tenant-context.js';
import { type TimelineEventsAsked, timelineEvents } from '../service/timeline-events.js';
import { type DamageDeps, readerOf, tellingDamage } from '../service/verify-on-read.js';

export interface TimelineResolverDeps extends DamageDeps {
  readonly contexts: TenantContexts;
  readonly redactions: RedactionStore;
  readonly consent: ConsentGate;
}

/** What the ledger knows of a member. */
@Resolver(() => TimelineMember)
export class TimelineResolver {
  readonly #deps: TimelineResolverDeps;

  constructor(deps: TimelineResolverDeps) {
    this.#deps = deps;
  }

  @FieldResolver(() => TimelinePartType, { description: 'Events of the member.' })
  async timeline_events(
    @Root() member: Member,
    @Args(() => TimelineArgs) asked: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    return this.#read('EVENT', member, asked, context);
  }

  @FieldResolver(() => TimelinePartType, { description: 'Decisions of AI about the member.' })
  async timeline_decisions(
    @Root() member: Member,
    @Args(() => TimelineArgs) asked: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    return this.#read('DECISION', member, asked, context);
  }

  async #read(
    kind: TimelineEventsAsked['kind'],
    { member_id: memberId }: Member,
    asked: TimelineArgs,
    context: RequestContext,
  ): Promise<TimelinePart> {
    const reading = timelineReading(context, memberId, asked.purpose);
    const window = timelineWindow(asked);
    if (!window.kinds.has(kind)) return EMPTY_PART;
    const tenant = await this.#deps.contexts.of(reading.tenantId);
    const unredacted = context.principal.scopes.has('documents:unredacted');
    const sight = { redactions: this.#deps.redactions(reading.tenantId), unredacted };
    const read = () => timelineEvents(this.#deps.consent, reading, tenant, sight, { kind, memberId, window });
    return tellingDamage(this.#deps, readerOf(context, reading.tenantId), read);
  }
}
