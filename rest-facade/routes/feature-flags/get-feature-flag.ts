import { graphRoute } from '../../graph-route.js';

export const getFeatureFlag = graphRoute({
  method: 'GET',
  path: '/v1/feature-flags/{key}',
  area: 'feature-flags',
  scope: 'flags:read',
  tenant: 'required',
  summary: 'Read one feature flag',
  operation: { name: 'GetFeatureFlag', field: 'featureFlag' },
  params: { key: 'key' },
  answer: 'The flag with its latest changes.',
});
