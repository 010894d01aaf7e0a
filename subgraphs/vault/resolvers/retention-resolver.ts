import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { countsFromOf, DEFAULT_COUNTS_FROM, type RetentionPolicy } from '../domain/retention.js';
import {
  RetentionPolicies,
  RetentionPoliciesInput,
  type RetentionPolicyShape,
  RetentionSweep,
} from '../schema/retention.js';
import type { StoredRules, StoredSweep } from '../service/ports/retention-store.js';
import { getRules, putRules, type RulesDeps } from '../service/retention-rules.js';
import { requestSweep, type SweepDeps } from '../service/sweep-retention.js';

const shownRules = ({ updated_at, policies, ...rest }: StoredRules, minimum_years: number): RetentionPolicies => ({
  default_years: rest.default_years,
  default_counts_from: DEFAULT_COUNTS_FROM,
  minimum_years,
  policies: policies.map((policy) => ({ ...policy, counts_from: countsFromOf(policy) })),
  revision: rest.revision,
  updated_at: updated_at === null ? null : isoTime(updated_at.getTime()),
  updated_by: rest.updated_by,
});

const shownSweep = ({ tenant_id: _, by: __, at, segments_dropped, ...rest }: StoredSweep): RetentionSweep => ({
  ...rest,
  at: isoTime(at.getTime()),
  segments_dropped: [...segments_dropped],
});

const policyOf = ({ event_family, document_type, years, counts_from }: RetentionPolicyShape): RetentionPolicy => ({
  years,
  ...(event_family == null ? {} : { event_family }),
  ...(document_type == null ? {} : { document_type }),
  ...(counts_from == null ? {} : { counts_from }),
});

@Resolver()
export class RetentionResolver {
  readonly #deps: SweepDeps & RulesDeps;

  constructor(deps: SweepDeps & RulesDeps) {
    this.#deps = deps;
  }

  @Query(() => RetentionPolicies, { description: 'How long things are kept.' })
  async retentionPolicies(@Ctx() context: RequestContext): Promise<RetentionPolicies> {
    return shownRules(await getRules(this.#deps, context), this.#deps.minimumYears);
  }

  @Mutation(() => RetentionPolicies, { description: 'Replaces the policies.' })
  async putRetentionPolicies(
    @Arg('input', () => RetentionPoliciesInput) { default_years, policies, revision }: RetentionPoliciesInput,
    @Ctx() context: RequestContext,
  ): Promise<RetentionPolicies> {
    const rules = await putRules(this.#deps, context, {
      policies: policies.map(policyOf),
      ...(default_years == null ? {} : { default_years }),
      ...(revision == null ? {} : { revision }),
    });
    return shownRules(rules, this.#deps.minimumYears);
  }

  @Mutation(() => RetentionSweep, { description: 'Disposes of what is past its age and under no hold.' })
  async sweepRetention(
    @Ctx() context: RequestContext,
    @Arg('dry_run', () => Boolean, { nullable: true, description: 'Only tells what would go.' }) dryRun?: boolean,
  ): Promise<RetentionSweep> {
    return shownSweep(await requestSweep(this.#deps, context, dryRun ?? false));
  }
}
