import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type Reading, readingOf } from '../../../shared/auth/reading.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { WithheldPage } from '../../../shared/graph/withheld-page.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { EventArgs, EventFilter, EventPage, EventRecord } from '../schema/event-record.js';
import { type LedgerPartition, PartitionList } from '../schema/ledger-verification.js';
import { listConsented, readConsented } from '../service/consented-events.js';
import { listPartitions } from '../service/list-partitions.js';
import type { RedactionStore } from '../service/ports/redaction-store.js';
import type { EventSight } from '../service/read-events.js';
import type { TenantContext, TenantContexts } from '../service/tenant-context.js';
import { type DamageDeps, readerOf, tellingDamage } from '../service/verify-on-read.js';

export interface EventResolverDeps extends DamageDeps {
  readonly contexts: TenantContexts;
  readonly redactions: RedactionStore;
  readonly consent: ConsentGate;
}

@Resolver()
export class EventResolver {
  readonly #deps: EventResolverDeps;

  constructor(deps: EventResolverDeps) {
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
    return (await this.#read(context, reading, read)) as EventRecord | null;
  }

  @Query(() => EventPage, { description: 'Events by effective time, newest first; system partitions only by name.' })
  async events(
    @Ctx() context: RequestContext,
    @Args(() => EventFilter) filter: EventFilter,
  ): Promise<WithheldPage<EventRecord>> {
    const { purpose, ...input } = withoutNulls(filter);
    const reading = readingOf(context, 'events:read', purpose);
    const by = { consent: this.#deps.consent, reading };
    const read = (tenant: TenantContext, sight: EventSight) => listConsented(by, tenant, sight, input);
    return (await this.#read(context, reading, read)) as unknown as WithheldPage<EventRecord>;
  }

  @Query(() => PartitionList, { description: 'The hash chains of the tenant and their heads.' })
  async ledgerPartitions(@Ctx() context: RequestContext): Promise<Page<LedgerPartition>> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'events:read'));
    return { items: await listPartitions(tenant), next_cursor: null };
  }

  async #read<T>(
    context: RequestContext,
    { tenantId }: Reading,
    read: (tenant: TenantContext, sight: EventSight) => Promise<T>,
  ): Promise<T> {
    const tenant = await this.#deps.contexts.of(tenantId);
    const unredacted = context.principal.scopes.has('documents:unredacted');
    const sight = { redactions: this.#deps.redactions(tenantId), unredacted };
    return tellingDamage(this.#deps, readerOf(context, tenantId), () => read(tenant, sight));
  }
}
