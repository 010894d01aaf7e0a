import type { AdminArea } from '../parts.js';
import { FEATURE_FLAG_MACHINE } from './domain/feature-flag.js';
import { FEATURE_FLAGS } from './model.js';
import { FeatureFlagResolver } from './resolver.js';
import { FlagEvaluation, FlagTargetingRule } from './schema.js';

export { FEATURE_FLAGS, featureFlagStore } from './model.js';

/** Feature flags and their evaluation. */
export const flagsArea: AdminArea = {
  resolvers: [FeatureFlagResolver],
  contractTypes: [FlagTargetingRule, FlagEvaluation],
  stateMachines: [FEATURE_FLAG_MACHINE],
  collections: [FEATURE_FLAGS],
  wire: (parts) => ({ resolvers: [new FeatureFlagResolver(parts)] }),
};
