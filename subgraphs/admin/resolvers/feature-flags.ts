import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { FlagDefinition } from '../domain/feature-flag.js';
import {
  FeatureFlag,
  FeatureFlagFilter,
  type FeatureFlagInput,
  FeatureFlagPage,
  PutFeatureFlagArgs,
} from '../schema/feature-flag.js';
import { EvaluateFlagsArgs, FlagEvaluations } from '../schema/flag-evaluation.js';
import type { FlagRecord } from '../service/ports/feature-flag-store.js';
import { deleteFeatureFlag, type FlagDeps, putFeatureFlag } from '../service/put-feature-flag.js';
import { evaluateFlags, getFeatureFlag, listFeatureFlags } from '../service/read-feature-flags.js';
import { listWindowOf } from './list-window.js';

const shown = ({ status: _, expires_at, created_at, updated_at, history, ...rest }: FlagRecord): FeatureFlag => ({
  ...rest,
  targeting: rest.targeting as FeatureFlag['targeting'],
  expires_at: expires_at && isoTime(expires_at.getTime()),
  created_at: isoTime(created_at.getTime()),
  updated_at: isoTime(updated_at.getTime()),
  history: history.map((change) => ({ ...change, at: isoTime(change.at.getTime()), changed: [...change.changed] })),
});

/** The contract has held every member to its form; null counts as absent. */
const definitionOf = (input: FeatureFlagInput): FlagDefinition => {
  const expiresAtMs = input.expires_at == null ? undefined : instantOf(input.expires_at);
  return {
    type: input.type,
    description: input.description ?? null,
    variants: input.variants,
    default_variant: input.default_variant,
    targeting: input.targeting ?? [],
    enabled: input.enabled ?? true,
    owner: input.owner ?? null,
    expires_at: expiresAtMs === undefined ? null : new Date(expiresAtMs),
  };
};

@Resolver()
export class FeatureFlagResolver {
  readonly #deps: FlagDeps;

  constructor(deps: FlagDeps) {
    this.#deps = deps;
  }

  @Query(() => FeatureFlagPage, { description: 'Feature flags of the tenant.' })
  async featureFlags(
    @Args(() => FeatureFlagFilter) filter: FeatureFlagFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<FeatureFlag>> {
    const query = {
      ...listWindowOf(filter),
      type: filter.type ?? undefined,
      enabled: filter.enabled ?? undefined,
      owner: filter.owner ?? undefined,
    };
    const page = await listFeatureFlags(this.#deps, context, query);
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => FeatureFlag, { nullable: true, description: 'A feature flag.' })
  async featureFlag(
    @Arg('key', () => String, { description: "The flag's key." }) key: string,
    @Ctx() context: RequestContext,
  ): Promise<FeatureFlag | null> {
    const found = await getFeatureFlag(this.#deps, context, key);
    return found === null ? null : shown(found);
  }

  @Mutation(() => FeatureFlag, { description: 'Makes or changes a feature flag.' })
  async putFeatureFlag(
    @Args(() => PutFeatureFlagArgs) { key, input }: PutFeatureFlagArgs,
    @Ctx() context: RequestContext,
  ): Promise<FeatureFlag> {
    const put = { key, definition: definitionOf(input), revision: input.revision ?? undefined };
    return shown(await putFeatureFlag(this.#deps, context, put));
  }

  @Mutation(() => FeatureFlag, { description: 'Archives a feature flag.' })
  async deleteFeatureFlag(
    @Arg('key', () => String, { description: "The flag's key." }) key: string,
    @Ctx() context: RequestContext,
  ): Promise<FeatureFlag> {
    return shown(await deleteFeatureFlag(this.#deps, context, key));
  }

  @Query(() => FlagEvaluations, { description: 'What flags are for one context.' })
  async evaluateFlags(
    @Args(() => EvaluateFlagsArgs) args: EvaluateFlagsArgs,
    @Ctx() context: RequestContext,
  ): Promise<FlagEvaluations> {
    const input = { key: args.key ?? undefined, type: args.type ?? undefined, context: args.context };
    return (await evaluateFlags(this.#deps, context, input)) as FlagEvaluations;
  }
}
