import { graphRoute } from '../../graph-route.js';

export const regenerateBundle = graphRoute({
  method: 'POST',
  path: '/v1/bundles/{id}/regenerate',
  area: 'bundles',
  scope: 'bundles:request',
  tenant: 'required',
  summary: 'Build a bundle again',
  description:
    'Of a SEALED bundle another one over the same scope; a FAILED one is built again under its id; 409 INVALID_TRANSITION while it is REQUESTED.',
  operation: { name: 'RegenerateBundle', field: 'regenerateBundle' },
  params: { id: 'bundle_id' },
  body: 'free',
  answer: 'The bundle that is to be built, REQUESTED.',
});
