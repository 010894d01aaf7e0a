import { graphRoute } from '../../graph-route.js';

export const getSigningKey = graphRoute({
  method: 'GET',
  path: '/v1/signing-keys/{id}',
  area: 'signing-keys',
  scope: 'admin',
  tenant: 'required',
  summary: 'Read one signing key',
  operation: { name: 'GetSigningKey', field: 'signingKey' },
  params: { id: 'key_id' },
  answer: 'The key.',
});
