import { Arg, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { ErasureOrder, ErasureState } from '../../../shared/contracts/erasures.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { showing } from '../../../shared/records/shown.js';
import { getRules, putRules, type RulesDeps } from './change-rules.js';
import { countsFromOf, DEFAULT_COUNTS_FROM } from './domain/rules.js';
import { eraseMember } from './erase-member.js';
import type { StoredRules, StoredSweep } from './ports.js';
import { RetentionPolicies, RetentionPoliciesInput, RetentionSweep } from './schema.js';
import { requestSweep, type SweepDeps } from './sweep-tenant.js';

const shownWith = showing(RetentionPolicies, ({ policies }: StoredRules & { readonly minimum_years: number }) => ({
  default_counts_from: DEFAULT_COUNTS_FROM,
  policies: policies.map((policy) => ({ ...policy, counts_from: countsFromOf(policy) })),
}));

const shownSweep = showing(RetentionSweep, (_: StoredSweep) => ({}));

@Resolver()
export class RetentionResolver {
  readonly #deps: SweepDeps & RulesDeps;

  constructor(deps: SweepDeps & RulesDeps) {
    this.#deps = deps;
  }

  @Query(() => RetentionPolicies, { description: 'Returns the retention policies.' })
  async retentionPolicies(@Ctx() context: RequestContext): Promise<RetentionPolicies> {
    return this.#shown(await getRules(this.#deps, context));
  }

  @Mutation(() => RetentionPolicies, { description: 'Replaces the retention policies.' })
  async putRetentionPolicies(
    @Arg('input', () => RetentionPoliciesInput) { policies, ...input }: RetentionPoliciesInput,
    @Ctx() context: RequestContext,
  ): Promise<RetentionPolicies> {
    const given = {
      ...withoutNulls(input),
      policies: policies.map(({ years, ...policy }) => ({ years, ...withoutNulls(policy) })),
    };
    return this.#shown(await putRules(this.#deps, context, given));
  }

  @Mutation(() => RetentionSweep, { description: 'Disposes of expired records that no hold covers.' })
  async sweepRetention(
    @Ctx() context: RequestContext,
    @Arg('dry_run', () => Boolean, { nullable: true, description: 'Reports without disposing.' }) dryRun?: boolean,
  ): Promise<RetentionSweep> {
    return shownSweep(await requestSweep(this.#deps, context, dryRun ?? false));
  }

  #shown(rules: StoredRules): RetentionPolicies {
    return shownWith({ ...rules, minimum_years: this.#deps.minimumYears });
  }
}

/** Serves member requests: the public schema hides it, and its scope belongs to no API key. */
@Resolver()
export class ErasureResolver {
  readonly #deps: SweepDeps;

  constructor(deps: SweepDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'Disposes of the erasable records of one member (ErasureState).' })
  async runErasure(
    @Ctx() context: RequestContext,
    @Arg('order', () => JsonScalar, { description: 'Member and request (ErasureOrder).' }) order: ErasureOrder,
  ): Promise<ErasureState> {
    return eraseMember(this.#deps, authorise(context, INTERNAL_SCOPE), order);
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Completes running deletions; later ones see the new request.' })
  async haltDeletions(@Ctx() context: RequestContext): Promise<boolean> {
    await this.#deps.gate.close(authorise(context, INTERNAL_SCOPE));
    return true;
  }
}
