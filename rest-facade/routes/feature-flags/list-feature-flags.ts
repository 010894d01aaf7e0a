import { graphRoute } from '../../graph-route.js';

export const listFeatureFlags = graphRoute({
  method: 'GET',
  path: '/v1/feature-flags',
  area: 'feature-flags',
  scope: 'flags:read',
  tenant: 'required',
  summary: 'List feature flags',
  operation: { name: 'ListFeatureFlags', field: 'featureFlags' },
  answer: 'One page of flags, newest first unless told.',
});
