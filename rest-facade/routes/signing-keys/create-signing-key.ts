import { graphRoute } from '../../graph-route.js';

export const createSigningKey = graphRoute({
  method: 'POST',
  path: '/v1/signing-keys',
  area: 'signing-keys',
  scope: 'admin',
  tenant: 'required',
  summary: 'Make a signing key',
  description: 'It signs nothing until it is activated.',
  operation: { name: 'CreateSigningKey', field: 'createSigningKey' },
  body: { argument: 'input' },
  bodyExample: { purpose: 'BUNDLE', algorithm: 'Ed25519' },
  answer: 'The key, PENDING.',
});
