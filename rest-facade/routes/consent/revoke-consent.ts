import { graphRoute } from '../../graph-route.js';

export const revokeConsent = graphRoute({
  method: 'POST',
  path: '/v1/consent/{id}/revoke',
  area: 'consent',
  scope: 'consent:write',
  tenant: 'required',
  summary: 'End a consent',
  description: 'Final: who says something else makes another consent.',
  operation: { name: 'RevokeConsent', field: 'revokeConsent' },
  params: { id: 'consent_id' },
  body: { argument: 'input' },
  bodyOptional: true,
  bodyExample: { reason: 'The member has changed their mind.' },
  answer: 'The consent, REVOKED.',
});
