import { graphRoute } from '../../graph-route.js';

export const createConsent = graphRoute({
  method: 'POST',
  path: '/v1/consent',
  area: 'consent',
  scope: 'consent:write',
  tenant: 'required',
  summary: 'Note what a member says about who may see what',
  description:
    'Where several consents speak to one record, DENY wins. Without any, records are given out, but those under 42 CFR Part 2: ' +
    'they need a PERMIT that names the category 42CFR2.',
  operation: { name: 'CreateConsent', field: 'createConsent' },
  body: { argument: 'input' },
  bodyExample: { member_id: 'M-1', decision: 'PERMIT', purpose: 'CARE_COORDINATION', categories: ['42CFR2'] },
  answer: 'The consent, ACTIVE.',
});
