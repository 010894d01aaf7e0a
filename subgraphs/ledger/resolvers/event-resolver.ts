import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { EventFilter, EventPage, EventRecord } from '../schema/event-record.js';
import { type LedgerPartition, LedgerVerification, PartitionList } from '../schema/ledger-verification.js';
import { listPartitions } from '../service/list-partitions.js';
import { listEvents, readEvent } from '../service/read-events.js';
import type { TenantContexts } from '../service/tenant-context.js';
import { verifyLedger } from '../service/verify-ledger.js';
import { withoutNulls } from './without-nulls.js';

@Resolver()
export class EventResolver {
  readonly #deps: { readonly contexts: TenantContexts; readonly clock: Clock };

  constructor(deps: { readonly contexts: TenantContexts; readonly clock: Clock }) {
    this.#deps = deps;
  }

  @Query(() => EventRecord, { nullable: true, description: 'An event as recorded.' })
  async event(
    @Ctx() context: RequestContext,
    @Arg('event_id', () => String, { description: 'The event.' }) eventId: string,
  ): Promise<EventRecord | null> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'events:read'));
    return (await readEvent(tenant, eventId)) as EventRecord | null;
  }

  @Query(() => EventPage, { description: 'Events by effective time, newest first; system partitions only by name.' })
  async events(
    @Ctx() context: RequestContext,
    @Args(() => EventFilter) filter: EventFilter,
  ): Promise<Page<EventRecord>> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'events:read'));
    return (await listEvents(tenant, withoutNulls(filter))) as unknown as Page<EventRecord>;
  }

  @Query(() => PartitionList, { description: 'The hash chains of the tenant and their heads.' })
  async ledgerPartitions(@Ctx() context: RequestContext): Promise<Page<LedgerPartition>> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'events:read'));
    return { items: await listPartitions(tenant), next_cursor: null };
  }

  @Query(() => LedgerVerification, {
    description: 'Hashes the ledger again and compares it with its write-once copies.',
  })
  async verifyLedger(
    @Ctx() context: RequestContext,
    @Arg('source_system', () => String, { nullable: true, description: 'Only this chain.' }) source_system?: string,
    @Arg('from_sequence', () => SafeInteger, { nullable: true, description: 'First sequence to look at.' })
    from_sequence?: number,
    @Arg('to_sequence', () => SafeInteger, { nullable: true, description: 'Last sequence to look at.' })
    to_sequence?: number,
  ): Promise<LedgerVerification> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'events:read'));
    return verifyLedger(this.#deps, tenant, withoutNulls({ source_system, from_sequence, to_sequence }));
  }
}
