import { graphRoute } from '../../graph-route.js';

export const diffBundles = graphRoute({
  method: 'GET',
  path: '/v1/bundles/{id}/diff',
  area: 'bundles',
  scope: 'bundles:read',
  tenant: 'required',
  summary: 'What differs between two bundles over the same scope',
  description:
    'Read from the sealed manifests. 409 SCOPE_MISMATCH for another scope or purpose, NOT_SEALED before the seal of either.',
  operation: { name: 'DiffBundles', field: 'bundleDiff' },
  params: { id: 'bundle_id' },
  conflicts: true,
  answer: 'What was added, removed and changed since the bundle that it is held against.',
});
