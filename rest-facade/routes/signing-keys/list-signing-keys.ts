import { graphRoute } from '../../graph-route.js';

export const listSigningKeys = graphRoute({
  method: 'GET',
  path: '/v1/signing-keys',
  area: 'signing-keys',
  scope: 'admin',
  tenant: 'required',
  summary: 'List signing keys',
  operation: { name: 'ListSigningKeys', field: 'signingKeys' },
  answer: 'One page of the keys of the tenant.',
});
