import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type Reading, readingOf } from '../../../shared/auth/reading.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import { readsOriginals } from '../../../shared/disclosure/originals.js';
import { type FieldFault, problem } from '../../../shared/errors/problem.js';
import { keysOfFilters } from '../../../shared/event-keys/event-keys.js';
import { timeArgument } from '../../../shared/time/time-argument.js';
import type { TenantContext, TenantContexts } from '../append/index.js';
import type { EventKeyStore } from '../event-keys/index.js';
import { recorded } from '../events/index.js';
import { type DamageDeps, readerOf, reportingDamage } from '../integrity/index.js';
import type { LinkStore } from '../links/index.js';
import type { RowProofs } from '../row-proofs/index.js';
import { groupByProvider, groupDenials, lastMonth, type Span } from './domain/index.js';
import { readConversation } from './read-conversation.js';
import { readDenials } from './read-denials.js';
import { readUnmatched } from './read-unmatched.js';
import {
  AppealedDenialArgs,
  AppealedDenials,
  ClaimConversation,
  ConversationArgs,
  DenialSummary,
  DenialSummaryArgs,
  UnmatchedArgs,
  UnmatchedRemittances,
} from './schema.js';
import { type Shown, showAppealed, showRows } from './show-events.js';

interface AnalysisDeps extends DamageDeps {
  readonly contexts: TenantContexts;
  readonly rowProofs: RowProofs;
  readonly consent: ConsentGate;
  readonly eventKeys: EventKeyStore;
  readonly links: LinkStore;
  readonly clock: Clock;
}

const DEFAULT_GROUPS = 100;
const DEFAULT_DENIALS = 50;
const MAX_LISTED_EVENTS = 20;

interface SpanAsked {
  readonly from?: string | null;
  readonly to?: string | null;
}

/** Answers questions over many events: bounded in what they examine, and read from the keys of events. */
@Resolver()
export class AnalysisResolver {
  readonly #deps: AnalysisDeps;

  constructor(deps: AnalysisDeps) {
    this.#deps = deps;
  }

  @Query(() => AppealedDenials, { description: 'Denials with a code that were appealed.' })
  async appealedDenials(
    @Ctx() context: RequestContext,
    @Args(() => AppealedDenialArgs) args: AppealedDenialArgs,
  ): Promise<AppealedDenials> {
    const reading = this.#readingOfKey(context, args.purpose);
    const faults: FieldFault[] = [];
    const keys = keysOfFilters({ code: args.code }, faults);
    const span = this.#spanOf(args, faults);
    const { denials, truncated } = await readDenials(this.#deps.eventKeys(reading.tenantId), keys, span);
    const appealed = denials.filter(({ appeals }) => appeals.length > 0);
    const limit = args.limit ?? DEFAULT_DENIALS;
    const page = appealed.slice(0, limit);
    const shown = await this.#read(context, reading, (tenant) =>
      showAppealed(this.#shown(context, reading, tenant), page, keys),
    );
    return { ...timesOf(span), ...shown, truncated: truncated || appealed.length > limit };
  }

  @Query(() => DenialSummary, {
    description: 'Counts denials and overturned appeals by provider, reason, program and month.',
  })
  async denialSummary(
    @Ctx() context: RequestContext,
    @Args(() => DenialSummaryArgs) args: DenialSummaryArgs,
  ): Promise<DenialSummary> {
    const tenantId = authorise(context, 'events:read');
    const span = this.#spanOf(args, []);
    const { denials, truncated } = await readDenials(this.#deps.eventKeys(tenantId), [], span);
    const groups = groupDenials(denials);
    const limit = args.limit ?? DEFAULT_GROUPS;
    return {
      ...timesOf(span),
      denials: denials.length,
      items: groups.slice(0, limit),
      truncated: truncated || groups.length > limit,
    };
  }

  @Query(() => UnmatchedRemittances, { description: 'Providers with remittances that no claim matches.' })
  async unmatchedRemittances(
    @Ctx() context: RequestContext,
    @Args(() => UnmatchedArgs) args: UnmatchedArgs,
  ): Promise<UnmatchedRemittances> {
    const tenantId = authorise(context, 'events:read');
    const { eventKeys, links } = this.#deps;
    const span = boundsOf(args, []);
    const { remittances, truncated } = await readUnmatched(eventKeys(tenantId), links.forTenant(tenantId), span);
    const providers = groupByProvider(remittances);
    const limit = args.limit ?? DEFAULT_GROUPS;
    return {
      remittances: remittances.length,
      items: providers.slice(0, limit).map(({ provider, remittances: own }) => {
        const times = own.map(({ effective_at }) => effective_at.getTime());
        return {
          provider,
          remittances: own.length,
          oldest_at: isoTime(times.reduce((a, b) => Math.min(a, b))),
          newest_at: isoTime(times.reduce((a, b) => Math.max(a, b))),
          event_ids: own.slice(0, MAX_LISTED_EVENTS).map(({ event_id }) => event_id),
        };
      }),
      truncated: truncated || providers.length > limit,
    };
  }

  @Query(() => ClaimConversation, { description: 'All events about one claim, from authorization to appeal.' })
  async claimConversation(
    @Ctx() context: RequestContext,
    @Args(() => ConversationArgs) { claim, purpose }: ConversationArgs,
  ): Promise<ClaimConversation> {
    const reading = this.#readingOfKey(context, purpose);
    const { eventKeys, links } = this.#deps;
    return this.#read(context, reading, async (tenant) => {
      const found = await readConversation(eventKeys(tenant.tenantId), links.forTenant(tenant.tenantId), claim);
      const { items, ...rest } = await showRows(this.#shown(context, reading, tenant), found.rows);
      const ids = new Set(items.map(({ event_id }) => event_id));
      return {
        claim,
        events: items.map(recorded),
        links: found.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
        truncated: found.truncated,
        ...rest,
      };
    });
  }

  /** A token of one member reads lists and timelines; these answers are for keys. */
  #readingOfKey(context: RequestContext, purpose: string | null | undefined): Reading {
    authorise(context, 'events:read');
    return readingOf(context, 'events:read', purpose);
  }

  #shown(context: RequestContext, reading: Reading, tenant: TenantContext): Shown {
    const { consent, rowProofs, eventKeys } = this.#deps;
    const unredacted = readsOriginals(context.principal);
    return { by: { consent, reading }, tenant, sight: { rowProofs, unredacted }, events: eventKeys(tenant.tenantId) };
  }

  #spanOf(asked: SpanAsked, faults: FieldFault[]): Span {
    const { fromMs, toMs } = boundsOf(asked, faults);
    if (fromMs === undefined && toMs === undefined) return lastMonth(this.#deps.clock.nowMs());
    return { fromMs: fromMs ?? 0, toMs: toMs ?? this.#deps.clock.nowMs() };
  }

  async #read<T>(
    context: RequestContext,
    { tenantId }: Reading,
    read: (tenant: TenantContext) => Promise<T>,
  ): Promise<T> {
    const tenant = await this.#deps.contexts.of(tenantId);
    return reportingDamage(this.#deps, readerOf(context, tenantId), () => read(tenant));
  }
}

const timesOf = ({ fromMs, toMs }: Span) => ({ from: isoTime(fromMs), to: isoTime(toMs) });

/** @throws VALIDATION_ERROR for these faults and those of the times */
function boundsOf({ from, to }: SpanAsked, faults: FieldFault[]): Partial<Span> {
  const fromMs = timeArgument('/from', from, faults);
  const toMs = timeArgument('/to', to, faults);
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  return { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) };
}
