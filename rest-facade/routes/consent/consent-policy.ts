import { graphRoute } from '../../graph-route.js';

export const getConsentPolicy = graphRoute({
  method: 'GET',
  path: '/v1/consent/policy',
  area: 'consent',
  scope: 'consent:read',
  tenant: 'required',
  summary: "Read which source systems are 42 CFR Part 2 programs'",
  operation: { name: 'GetConsentPolicy', field: 'consentPolicy' },
  answer: 'What holds for all members of the tenant.',
});

export const putConsentPolicy = graphRoute({
  method: 'PUT',
  path: '/v1/consent/policy',
  area: 'consent',
  scope: 'consent:write',
  tenant: 'required',
  summary: "Say which source systems are 42 CFR Part 2 programs'",
  description: 'Holds at once, for records that are here as for those that come.',
  operation: { name: 'PutConsentPolicy', field: 'putConsentPolicy' },
  body: { argument: 'input' },
  bodyExample: { part2_source_systems: ['sud-clinic'] },
  answer: 'What holds for all members of the tenant.',
});
