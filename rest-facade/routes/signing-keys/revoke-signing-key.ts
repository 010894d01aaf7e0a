import { graphRoute } from '../../graph-route.js';

export const revokeSigningKey = graphRoute({
  method: 'POST',
  path: '/v1/signing-keys/{id}/revoke',
  area: 'signing-keys',
  scope: 'admin',
  tenant: 'required',
  summary: 'Revoke a signing key',
  description: 'Signatures from effective_at on are not to be trusted.',
  operation: { name: 'RevokeSigningKey', field: 'revokeSigningKey' },
  params: { id: 'key_id' },
  body: { argument: 'input' },
  bodyExample: { reason: 'KEY_COMPROMISE', effective_at: '2026-03-02T14:11:10.004Z' },
  answer: 'The key, REVOKED.',
});
