import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { LedgerEventView, LinkedEventsView, MemberEventsAsked } from '../../../shared/contracts/event-reads.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { RedactionStore } from '../service/ports/redaction-store.js';
import { readEventView, readMemberEventViews } from '../service/read-event-views.js';
import type { EventSight } from '../service/read-events.js';
import type { LinksOfEvent } from '../service/read-links.js';
import type { TenantContext, TenantContexts } from '../service/tenant-context.js';
import { type DamageDeps, readerOf, tellingDamage } from '../service/verify-on-read.js';

export interface EventViewDeps extends DamageDeps {
  readonly contexts: TenantContexts;
  readonly redactions: RedactionStore;
  readonly linksOf: LinksOfEvent;
}

const MOST_OF_MEMBER = 500;
const EVENT = { description: 'The event.' };

/** For parts that judge events: in no API schema, and closed to every key by its scope. */
@Resolver()
export class EventViewResolver {
  readonly #deps: EventViewDeps;

  constructor(deps: EventViewDeps) {
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
    @Arg('asked', () => JsonScalar, { description: 'Which (MemberEventsAsked).' }) wanted: unknown,
  ): Promise<LedgerEventView[]> {
    const { before, limit, unredacted } = wanted as MemberEventsAsked;
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= MOST_OF_MEMBER)) {
      throw problem('VALIDATION_ERROR', { errors: [fault('/limit', 'range', `Must be 1 to ${MOST_OF_MEMBER}.`)] });
    }
    return this.#read(context, unredacted, (tenant, sight) =>
      readMemberEventViews(tenant, sight, memberId, { before: before ?? null, limit }),
    );
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'What an event is joined to (LinkedEventsView).' })
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
    const sight = { redactions: this.#deps.redactions(tenantId), unredacted };
    return tellingDamage(this.#deps, readerOf(context, tenantId), () => read(tenant, sight));
  }
}
