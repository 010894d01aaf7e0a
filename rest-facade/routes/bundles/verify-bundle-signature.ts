import { graphRoute } from '../../graph-route.js';

export const verifyBundleSignature = graphRoute({
  method: 'POST',
  path: '/v1/bundles/{id}/verify-signature',
  area: 'bundles',
  scope: 'bundles:read',
  tenant: 'required',
  summary: 'Verify the stored copy of a bundle',
  description:
    'By the engine that travels in every bundle, over the copy in the write-once store, with the signing key as the registry knows it now. No bytes are sent.',
  operation: { name: 'VerifyBundleSignature', field: 'verifyBundleSignature' },
  params: { id: 'bundle_id' },
  body: 'free',
  answer: 'Every check, and whether all of them hold.',
});
