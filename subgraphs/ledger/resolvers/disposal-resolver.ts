import { Arg, Ctx, Directive, Int, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type {
  DisposalCandidate,
  DisposalCursor,
  DisposalCutoffs,
  DisposalOrder,
  DisposalPlan,
} from '../../../shared/contracts/disposal.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import {
  type DisposingTenant,
  disposalsOfMembers,
  disposeEvents,
  factsOfEvents,
  planDisposal,
  rawInUse,
} from '../service/dispose-events.js';
import { type DroppingTenant, dropSegments } from '../service/drop-segments.js';

export interface DisposalResolverDeps {
  readonly tenantIds: () => AsyncIterable<string>;
  readonly tenant: (tenantId: TenantId) => Promise<DisposingTenant & DroppingTenant>;
}

/** For the vault's retention and erasures: in no API schema, and closed to every key by its scope. */
@Resolver()
export class DisposalResolver {
  readonly #deps: DisposalResolverDeps;

  constructor(deps: DisposalResolverDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Tenants that have a ledger.' })
  async disposalTenants(@Ctx() context: RequestContext): Promise<readonly string[]> {
    requireScope(context, INTERNAL_SCOPE);
    const ids: string[] = [];
    for await (const id of this.#deps.tenantIds()) ids.push(id);
    return ids;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Events past their age (DisposalPlan).' })
  async planDisposal(
    @Ctx() context: RequestContext,
    @Arg('cutoffs', () => JsonScalar, { description: 'Until when (DisposalCutoffs).' }) cutoffs: unknown,
    @Arg('after', () => JsonScalar, { nullable: true, description: 'Where to go on (DisposalCursor).' }) after: unknown,
    @Arg('limit', () => Int, { description: 'Most events looked at.' }) limit: number,
  ): Promise<DisposalPlan> {
    const tenant = await this.#tenant(context);
    return planDisposal(tenant, cutoffs as DisposalCutoffs, (after ?? null) as DisposalCursor | null, limit);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Events of members, whatever their age (DisposalPlan).' })
  async memberDisposals(
    @Ctx() context: RequestContext,
    @Arg('member_ids', () => [String], { description: 'One person.' }) memberIds: string[],
    @Arg('after', () => JsonScalar, { nullable: true, description: 'Where to go on (DisposalCursor).' }) after: unknown,
    @Arg('limit', () => Int, { description: 'Most events looked at.' }) limit: number,
  ): Promise<DisposalPlan> {
    const tenant = await this.#tenant(context);
    return disposalsOfMembers(tenant, memberIds, (after ?? null) as DisposalCursor | null, limit);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'What holds compare of events (a list of DisposalCandidate).' })
  async disposalFacts(
    @Ctx() context: RequestContext,
    @Arg('event_ids', () => [String], { description: 'The events.' }) eventIds: string[],
  ): Promise<readonly DisposalCandidate[]> {
    return factsOfEvents(await this.#tenant(context), eventIds);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Bodies that still serve an event or an open exception.' })
  async rawInUse(
    @Ctx() context: RequestContext,
    @Arg('raw_sha256s', () => [String], { description: 'The bodies.' }) rawSha256s: string[],
    @Arg('keep_unknown', () => Boolean, { description: 'Whether a body that no answer tells of counts.' })
    keepUnknown: boolean,
  ): Promise<readonly string[]> {
    return rawInUse(await this.#tenant(context), rawSha256s, keepUnknown ? 'KEEP' : 'LET_GO');
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Disposes of events (DisposalOrder).' })
  async disposeEvents(
    @Ctx() context: RequestContext,
    @Arg('order', () => JsonScalar, { description: 'The certificate.' }) order: unknown,
  ): Promise<boolean> {
    await disposeEvents(await this.#tenant(context), order as DisposalOrder);
    return true;
  }

  @Directive('@inaccessible')
  @Mutation(() => [String], { description: 'Drops sealed segments of which nothing is left.' })
  async dropSegments(
    @Ctx() context: RequestContext,
    @Arg('sealed_before_ms', () => SafeInteger, { description: 'Younger ones stay.' }) sealedBeforeMs: number,
  ): Promise<readonly string[]> {
    return dropSegments(await this.#tenant(context), sealedBeforeMs);
  }

  #tenant(context: RequestContext): Promise<DisposingTenant & DroppingTenant> {
    return this.#deps.tenant(authorise(context, INTERNAL_SCOPE));
  }
}
