import { graphRoute } from '../../graph-route.js';

export const retireSigningKey = graphRoute({
  method: 'POST',
  path: '/v1/signing-keys/{id}/retire',
  area: 'signing-keys',
  scope: 'admin',
  tenant: 'required',
  summary: 'Retire a signing key',
  description: 'What it signed stays good. Where a signature is needed next, a new key is made.',
  operation: { name: 'RetireSigningKey', field: 'retireSigningKey' },
  params: { id: 'key_id' },
  body: 'free',
  bodyExample: {},
  answer: 'The key, RETIRED.',
});
