import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { FlagDefinition } from './domain/feature-flag.js';
import {
  deleteFeatureFlag,
  evaluateFlags,
  type FlagDeps,
  getFeatureFlag,
  listFeatureFlags,
  putFeatureFlag,
} from './flags.js';
import type { FlagRecord } from './ports.js';
import {
  EvaluateFlagsArgs,
  FeatureFlag,
  FeatureFlagFilter,
  FeatureFlagInput,
  FeatureFlagPage,
  FlagEvaluations,
  PutFeatureFlagArgs,
} from './schema.js';

/** Picks the members of the class; rules and variants are free JSON. */
const shown = showing(FeatureFlag, ({ targeting }: FlagRecord) => ({
  targeting: targeting.map(({ split, ...rule }) => ({ ...rule, ...(split ? { split: [...split] } : {}) })),
}));

/** Builds the definition from a validated input. */
const definitionOf = (input: FeatureFlagInput): FlagDefinition => {
  const { expires_at, ...members } = FeatureFlagInput.complete(input);
  const expiresAtMs = expires_at === null ? undefined : instantOf(expires_at);
  return { ...members, expires_at: expiresAtMs === undefined ? null : new Date(expiresAtMs) };
};

@Resolver()
export class FeatureFlagResolver {
  readonly #deps: FlagDeps;

  constructor(deps: FlagDeps) {
    this.#deps = deps;
  }

  @Query(() => FeatureFlagPage, { description: 'Lists the feature flags of the tenant.' })
  async featureFlags(
    @Args(() => FeatureFlagFilter) filter: FeatureFlagFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<FeatureFlag>> {
    return mapPage(await listFeatureFlags(this.#deps, context, listQueryOf(filter)), shown);
  }

  @Query(() => FeatureFlag, { nullable: true, description: 'Returns a feature flag.' })
  async featureFlag(
    @Arg('key', () => String, { description: "The flag's key." }) key: string,
    @Ctx() context: RequestContext,
  ): Promise<FeatureFlag | null> {
    const found = await getFeatureFlag(this.#deps, context, key);
    return found === null ? null : shown(found);
  }

  @Mutation(() => FeatureFlag, { description: 'Creates or changes a feature flag.' })
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

  @Query(() => FlagEvaluations, { description: 'Evaluates flags for one context.' })
  evaluateFlags(@Args(() => EvaluateFlagsArgs) args: EvaluateFlagsArgs, @Ctx() context: RequestContext) {
    const input = { key: args.key ?? undefined, type: args.type ?? undefined, context: args.context };
    return evaluateFlags(this.#deps, context, input);
  }
}
