import { type RouteArea, routeTable } from '../../route-table.js';
import { evaluateFlags } from './evaluate-flags.js';
import { ofrepEvaluateAll, ofrepEvaluateOne } from './ofrep.js';

const FEATURE_FLAGS: RouteArea = { area: 'feature-flags', reads: 'flags:read', writes: 'flags:write' };

export const featureFlagRoutes = routeTable(FEATURE_FLAGS, {
  'GET /v1/feature-flags': {
    summary: 'List feature flags',
    operation: { name: 'ListFeatureFlags', field: 'featureFlags' },
    answer: 'One page of flags, newest first by default.',
  },
  'GET /v1/feature-flags/{key}': {
    summary: 'Read one feature flag',
    operation: { name: 'GetFeatureFlag', field: 'featureFlag' },
    answer: 'The flag with its latest changes.',
  },
  'PUT /v1/feature-flags/{key}': {
    summary: 'Create or change a feature flag',
    description: 'Putting the same flag again changes nothing. A deleted flag is restored with its history.',
    operation: { name: 'PutFeatureFlag', field: 'putFeatureFlag' },
    bodyExample: {
      type: 'boolean',
      variants: { on: true, off: false },
      default_variant: 'off',
      targeting: [
        { when: { '==': [{ var: 'jurisdiction' }, 'US-CA'] }, variant: 'on' },
        { split: [{ variant: 'on', percent: 25 }] },
      ],
      owner: 'analytics',
    },
    answer: 'The flag.',
  },
  'DELETE /v1/feature-flags/{key}': {
    summary: 'Archive a feature flag',
    operation: { name: 'DeleteFeatureFlag', field: 'deleteFeatureFlag' },
    answer: 'The archived flag.',
  },
  'POST /v1/feature-flags/evaluate': evaluateFlags,
  'POST /ofrep/v1/evaluate/flags/{key}': ofrepEvaluateOne,
  'POST /ofrep/v1/evaluate/flags': ofrepEvaluateAll,
});
