import { graphRoute } from '../../graph-route.js';

export const getConsent = graphRoute({
  method: 'GET',
  path: '/v1/consent/{id}',
  area: 'consent',
  scope: 'consent:read',
  tenant: 'required',
  summary: 'Read one consent',
  operation: { name: 'GetConsent', field: 'consent' },
  params: { id: 'consent_id' },
  answer: 'The consent with its steps.',
});
