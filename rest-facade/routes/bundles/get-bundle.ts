import { graphRoute } from '../../graph-route.js';

export const getBundle = graphRoute({
  method: 'GET',
  path: '/v1/bundles/{id}',
  area: 'bundles',
  scope: 'bundles:read',
  tenant: 'required',
  summary: 'Read one bundle',
  description: 'Poll it until its status is SEALED, or FAILED with the reason; `progress` says how far the build is.',
  operation: { name: 'GetBundle', field: 'bundle' },
  params: { id: 'bundle_id' },
  answer: 'The bundle.',
});
