import { graphRoute } from '../../graph-route.js';

export const activateSigningKey = graphRoute({
  method: 'POST',
  path: '/v1/signing-keys/{id}/activate',
  area: 'signing-keys',
  scope: 'admin',
  tenant: 'required',
  summary: 'Activate a signing key',
  description: 'The former key of the same purpose is retired. A key that signs already is no change.',
  operation: { name: 'ActivateSigningKey', field: 'activateSigningKey' },
  params: { id: 'key_id' },
  body: 'free',
  bodyExample: {},
  answer: 'The key, ACTIVE.',
});
