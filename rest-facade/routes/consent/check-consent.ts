import { graphRoute } from '../../graph-route.js';

export const checkConsent = graphRoute({
  method: 'POST',
  path: '/v1/consent/check',
  area: 'consent',
  scope: 'consent:read',
  tenant: 'required',
  summary: 'Ask whether something may be seen',
  description: 'By the very rules that every reader with a stated purpose is held to. Writes nothing.',
  operation: { name: 'CheckConsent', field: 'checkConsent' },
  body: { argument: 'input' },
  bodyExample: { member_id: 'M-1', purpose: 'CARE_COORDINATION', category: '42CFR2' },
  answer: 'The decision, and the consents that it rests on.',
});
