import { Arg, Args, Ctx, Directive, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type Reading, readingOf } from '../../../shared/auth/reading.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type {
  LedgerEventView,
  LinkedEventsView,
  MemberEventsAsked,
  NewestEventsAsked,
} from '../../../shared/contracts/event-reads.js';
import { readsOriginals, requireOriginals } from '../../../shared/disclosure/originals.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { type TimelineMember as Member, TimelineArgs, TimelinePartType } from '../../../shared/graph/timeline.js';
import type { WithheldPage } from '../../../shared/graph/withheld-page.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { EMPTY_PART, type TimelinePart } from '../../../shared/timeline/entry.js';
import { timelineReading, timelineWindow } from '../../../shared/timeline/window.js';
import type { TenantContext, TenantContexts } from '../append/index.js';
import type { EventKeyStore } from '../event-keys/index.js';
import { type DamageDeps, readerOf, reportingDamage } from '../integrity/index.js';
import { type LedgerPartition, PartitionList } from '../integrity/schema.js';
import type { LinksOfEvent } from '../links/index.js';
import type { RowProofs } from '../row-proofs/index.js';
import { listConsented, readConsented } from './consented-events.js';
import { openEvent } from './open-event.js';
import type { RawUse } from './ports.js';
import { rawOfEvent } from './raw-of-event.js';
import { readEventView, readMemberEventViews, readNewestEventViews } from './read-event-views.js';
import { type EventSight, type ListSight, listPartitions, recorded } from './read-events.js';
import { EventArgs, EventFilter, EventOpening, EventPage, EventRaw, EventRecord, TimelineMember } from './schema.js';
import { type TimelineEventsAsked, timelineEvents } from './timeline-events.js';

interface EventDeps extends DamageDeps {
  readonly contexts: TenantContexts;
  readonly rowProofs: RowProofs;
  readonly consent: ConsentGate;
  readonly linksOf: LinksOfEvent;
  readonly eventKeys: EventKeyStore;
  readonly rawUse: (tenantId: string) => RawUse;
}

@Resolver()
export class EventResolver {
  readonly #deps: EventDeps;

  constructor(deps: EventDeps) {
    this.#deps = deps;
  }

  @Query(() => EventRecord, { nullable: true, description: 'An event as recorded, or its rendition.' })
  async event(
    @Ctx() context: RequestContext,
    @Args(() => EventArgs) { event_id: eventId, purpose }: EventArgs,
  ): Promise<EventRecord | null> {
    const reading = readingOf(context, 'events:read', purpose);
    const by = { consent: this.#deps.consent, reading };
    const read = (tenant: TenantContext, sight: EventSight) => readConsented(by, tenant, sight, eventId);
    const found = await this.#read(context, reading, read);
    return found && recorded(found);
  }

  @Query(() => EventOpening, {
    nullable: true,
    description: 'The header, record and seed of an event, to recompute its commitments and entry hash.',
  })
  async eventOpening(
    @Ctx() context: RequestContext,
    @Args(() => EventArgs) { event_id: eventId, purpose }: EventArgs,
  ): Promise<EventOpening | null> {
    const reading = readingOf(context, 'events:read', purpose);
    const by = { consent: this.#deps.consent, reading };
    return this.#read(context, reading, async (tenant, sight) => {
      const shown = await readConsented(by, tenant, sight, eventId);
      return shown && openEvent(tenant, sight, shown);
    });
  }

  @Query(() => EventPage, { description: 'Events by effective time, newest first; system partitions only by name.' })
  async events(
    @Ctx() context: RequestContext,
    @Args(() => EventFilter) filter: EventFilter,
  ): Promise<WithheldPage<EventRecord>> {
    const { purpose, ...input } = withoutNulls(filter);
    const reading = readingOf(context, 'events:read', purpose);
    const by = { consent: this.#deps.consent, reading };
    const read = (tenant: TenantContext, sight: ListSight) => listConsented(by, tenant, sight, input);
    const { items, ...page } = await this.#read(context, reading, read);
    return { ...page, items: items.map(recorded) };
  }

  @Query(() => PartitionList, { description: 'The hash chains of the tenant and their heads.' })
  async ledgerPartitions(@Ctx() context: RequestContext): Promise<Page<LedgerPartition>> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'events:read'));
    return { items: await listPartitions(tenant), next_cursor: null };
  }

  @Query(() => EventRaw, { nullable: true, description: 'Where the raw bytes of an event are.' })
  async eventRaw(
    @Ctx() context: RequestContext,
    @Arg('event_id', () => String, { description: 'The event.' }) eventId: string,
    @Arg('whole', () => Boolean, {
      nullable: true,
      description: 'Return the whole body, which may hold other events; needs documents:unredacted.',
    })
    whole?: boolean,
  ): Promise<EventRaw | null> {
    const tenantId = authorise(context, 'events:read');
    const requireUnredacted = (): void => requireOriginals(context);
    if (whole === true) requireUnredacted();
    const tenant = await this.#deps.contexts.of(tenantId);
    const reader = { use: this.#deps.rawUse(tenantId), rowProofs: this.#deps.rowProofs, requireUnredacted };
    const read = () => rawOfEvent(tenant, reader, { eventId, whole: whole === true });
    return reportingDamage(this.#deps, readerOf(context, tenantId), read);
  }

  async #read<T>(
    context: RequestContext,
    { tenantId }: Reading,
    read: (tenant: TenantContext, sight: ListSight) => Promise<T>,
  ): Promise<T> {
    const tenant = await this.#deps.contexts.of(tenantId);
    const unredacted = readsOriginals(context.principal);
    const sight = { rowProofs: this.#deps.rowProofs, eventKeys: this.#deps.eventKeys, unredacted };
    return reportingDamage(this.#deps, readerOf(context, tenantId), () => read(tenant, sight));
  }
}

const MOST_OF_MEMBER = 500;
const EVENT = { description: 'The event.' };

/** @throws VALIDATION_ERROR */
function requireLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_OF_MEMBER) return;
  const message = `Must be between 1 and ${MOST_OF_MEMBER}.`;
  throw problem('VALIDATION_ERROR', { errors: [fault('/limit', 'range', message)] });
}

/** Serves the other subgraphs: its fields are in no API schema, and their scope rejects every API key. */
@Resolver()
export class EventViewResolver {
  readonly #deps: EventDeps;

  constructor(deps: EventDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'An event as a reader may see it (LedgerEventView).' })
  async eventView(
    @Ctx() context: RequestContext,
    @Arg('event_id', () => String, EVENT) eventId: string,
    @Arg('unredacted', () => Boolean, { description: 'Whether the reader sees records whole.' }) unredacted: boolean,
  ): Promise<LedgerEventView | null> {
    return this.#read(context, unredacted, (tenant, sight) => readEventView(tenant, sight, eventId));
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Events of a member, newest first (a list of LedgerEventView).' })
  async memberEventViews(
    @Ctx() context: RequestContext,
    @Arg('member_id', () => String, { description: 'The member.' }) memberId: string,
    @Arg('asked', () => JsonScalar, { description: 'Which (MemberEventsAsked).' }) {
      before,
      limit,
      unredacted,
    }: MemberEventsAsked,
  ): Promise<LedgerEventView[]> {
    requireLimit(limit);
    return this.#read(context, unredacted, (tenant, sight) =>
      readMemberEventViews(tenant, sight, memberId, { before, limit }),
    );
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'The newest events of the tenant (a list of LedgerEventView).' })
  async newestEventViews(
    @Ctx() context: RequestContext,
    @Arg('asked', () => JsonScalar, { description: 'How many (NewestEventsAsked).' })
    { limit, unredacted }: NewestEventsAsked,
  ): Promise<LedgerEventView[]> {
    requireLimit(limit);
    return this.#read(context, unredacted, (tenant, sight) => readNewestEventViews(tenant, sight, limit));
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'Events that an event is linked to (LinkedEventsView).' })
  async linkedEventViews(
    @Ctx() context: RequestContext,
    @Arg('event_id', () => String, EVENT) eventId: string,
  ): Promise<LinkedEventsView | null> {
    const { contexts, linksOf } = this.#deps;
    return linksOf(await contexts.of(authorise(context, INTERNAL_SCOPE)), eventId);
  }

  async #read<T>(
    context: RequestContext,
    unredacted: boolean,
    read: (tenant: TenantContext, sight: EventSight) => Promise<T>,
  ): Promise<T> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const tenant = await this.#deps.contexts.of(tenantId);
    const sight = { rowProofs: this.#deps.rowProofs, unredacted };
    return reportingDamage(this.#deps, readerOf(context, tenantId), () => read(tenant, sight));
  }
}

/** The ledger's part of a member's timeline. */
@Resolver(() => TimelineMember)
export class TimelineResolver {
  readonly #deps: EventDeps;

  constructor(deps: EventDeps) {
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

  @FieldResolver(() => TimelinePartType, { description: 'AI decisions about the member.' })
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
    const unredacted = readsOriginals(context.principal);
    const sight = { rowProofs: this.#deps.rowProofs, eventKeys: this.#deps.eventKeys, unredacted };
    const read = () => timelineEvents(this.#deps.consent, reading, tenant, sight, { kind, memberId, window });
    return reportingDamage(this.#deps, readerOf(context, reading.tenantId), read);
  }
}
