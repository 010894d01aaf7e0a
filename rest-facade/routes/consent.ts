import { type RouteArea, routeTable } from '../route-table.js';

const CONSENT: RouteArea = { area: 'consent', id: 'consent_id', reads: 'consent:read', writes: 'consent:write' };

export const consentRoutes = routeTable(CONSENT, {
  'GET /v1/consent': {
    summary: 'List consents',
    operation: { name: 'ListConsents', field: 'consents' },
    answer: 'One page of consents, newest first by default.',
  },
  'POST /v1/consent': {
    summary: 'Record a consent of a member',
    description:
      'If several consents cover one record, DENY wins. Without a consent, records are returned, except those under 42 CFR ' +
      'Part 2: they need a PERMIT that names the category 42CFR2.',
    operation: { name: 'CreateConsent', field: 'createConsent' },
    bodyExample: { member_id: 'M-1', decision: 'PERMIT', purpose: 'CARE_COORDINATION', categories: ['42CFR2'] },
    answer: 'The consent, ACTIVE.',
  },
  'POST /v1/consent/check': {
    scope: 'consent:read',
    summary: 'Check whether consent allows a read',
    description: 'Applies the same rules as every read with a stated purpose. Writes nothing.',
    operation: { name: 'CheckConsent', field: 'checkConsent' },
    bodyExample: { member_id: 'M-1', purpose: 'CARE_COORDINATION', category: '42CFR2' },
    answer: 'The decision and the consents behind it.',
  },
  'GET /v1/consent/policy': {
    summary: 'List the source systems of 42 CFR Part 2 programs',
    operation: { name: 'GetConsentPolicy', field: 'consentPolicy' },
    answer: 'The policy for all members of the tenant.',
  },
  'PUT /v1/consent/policy': {
    summary: 'Set the source systems of 42 CFR Part 2 programs',
    description: 'Takes effect at once, for existing and for new records.',
    operation: { name: 'PutConsentPolicy', field: 'putConsentPolicy' },
    bodyExample: { part2_source_systems: ['sud-clinic'] },
    answer: 'The policy for all members of the tenant.',
  },
  'GET /v1/consent/{id}': {
    summary: 'Read one consent',
    operation: { name: 'GetConsent', field: 'consent' },
    answer: 'The consent with its steps.',
  },
  'POST /v1/consent/{id}/revoke': {
    summary: 'End a consent',
    description: 'Final. A changed decision is a new consent.',
    operation: { name: 'RevokeConsent', field: 'revokeConsent' },
    bodyOptional: true,
    bodyExample: { reason: 'The member has changed their mind.' },
    answer: 'The consent, REVOKED.',
  },
});
