import { graphRoute } from '../../graph-route.js';

export const deleteFeatureFlag = graphRoute({
  method: 'DELETE',
  path: '/v1/feature-flags/{key}',
  area: 'feature-flags',
  scope: 'flags:write',
  tenant: 'required',
  summary: 'Archive a feature flag',
  operation: { name: 'DeleteFeatureFlag', field: 'deleteFeatureFlag' },
  params: { key: 'key' },
  answer: 'The flag as it was.',
});
