import { Arg, Ctx, Directive, Int, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type {
  DisposalCursor,
  DisposalCutoffs,
  DisposalOrder,
  DisposalPlan,
  EventsForHolds,
} from '../../../shared/contracts/disposal.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type DamageDeps, readerOf, reportingDamage } from '../integrity/index.js';
import { type DisposingTenant, disposeEvents, rawInUse } from './dispose-events.js';
import { type DroppingTenant, dropSegments } from './drop-segments.js';
import { disposalsOfMembers, factsOfEvents, type PlanningTenant, planDisposal } from './plan-disposal.js';

type DisposalTenant = DisposingTenant & DroppingTenant & Omit<PlanningTenant, 'reporting'>;

interface DisposalResolverDeps {
  readonly tenantIds: () => AsyncIterable<string>;
  readonly tenant: (tenantId: TenantId) => Promise<DisposalTenant>;
  readonly damage: DamageDeps;
}

/**
 * Serves the vault's retention and erasures: its fields are in no API schema, and their scope rejects every API key.
 */
@Resolver()
export class DisposalResolver {
  readonly #deps: DisposalResolverDeps;

  constructor(deps: DisposalResolverDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Tenants with a ledger.' })
  async disposalTenants(@Ctx() context: RequestContext): Promise<readonly string[]> {
    requireScope(context, INTERNAL_SCOPE);
    const ids: string[] = [];
    for await (const id of this.#deps.tenantIds()) ids.push(id);
    return ids;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Events past their retention (DisposalPlan).' })
  async planDisposal(
    @Ctx() context: RequestContext,
    @Arg('cutoffs', () => JsonScalar, { description: 'Cutoff times (DisposalCutoffs).' }) cutoffs: DisposalCutoffs,
    @Arg('after', () => JsonScalar, { nullable: true, description: 'Cursor of the previous page (DisposalCursor).' })
    after: DisposalCursor | null,
    @Arg('limit', () => Int, { description: 'Largest number of events to examine.' }) limit: number,
  ): Promise<DisposalPlan> {
    const tenant = await this.#tenant(context);
    return planDisposal(tenant, cutoffs, after, limit);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Events of members of any age (DisposalPlan).' })
  async memberDisposals(
    @Ctx() context: RequestContext,
    @Arg('member_ids', () => [String], { description: 'One person.' }) memberIds: string[],
    @Arg('after', () => JsonScalar, { nullable: true, description: 'Cursor of the previous page (DisposalCursor).' })
    after: DisposalCursor | null,
    @Arg('limit', () => Int, { description: 'Largest number of events to examine.' }) limit: number,
  ): Promise<DisposalPlan> {
    const tenant = await this.#tenant(context);
    return disposalsOfMembers(tenant, memberIds, after, limit);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'What is proven of events, for holds (EventsForHolds).' })
  async disposalFacts(
    @Ctx() context: RequestContext,
    @Arg('event_ids', () => [String], { description: 'The events.' }) eventIds: string[],
  ): Promise<EventsForHolds> {
    return factsOfEvents(await this.#tenant(context), eventIds);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Bodies that an event or an open exception still uses.' })
  async rawInUse(
    @Ctx() context: RequestContext,
    @Arg('raw_sha256s', () => [String], { description: 'The bodies.' }) rawSha256s: string[],
    @Arg('keep_unknown', () => Boolean, { description: 'Whether a body without a known answer counts as used.' })
    keepUnknown: boolean,
  ): Promise<readonly string[]> {
    return rawInUse(await this.#tenant(context), rawSha256s, keepUnknown ? 'KEEP' : 'LET_GO');
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Disposes of events (DisposalOrder).' })
  async disposeEvents(
    @Ctx() context: RequestContext,
    @Arg('order', () => JsonScalar, { description: 'The certificate.' }) order: DisposalOrder,
  ): Promise<boolean> {
    await disposeEvents(await this.#tenant(context), order);
    return true;
  }

  @Directive('@inaccessible')
  @Mutation(() => [String], { description: 'Drops sealed segments without anything left to keep.' })
  async dropSegments(
    @Ctx() context: RequestContext,
    @Arg('sealed_before_ms', () => SafeInteger, { description: 'Only segments sealed before this time.' })
    sealedBeforeMs: number,
  ): Promise<readonly string[]> {
    return dropSegments(await this.#tenant(context), sealedBeforeMs);
  }

  async #tenant(context: RequestContext): Promise<DisposalTenant & PlanningTenant> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const reader = readerOf(context, tenantId);
    const tenant = await this.#deps.tenant(tenantId);
    return { ...tenant, reporting: (read) => reportingDamage(this.#deps.damage, reader, read) };
  }
}
