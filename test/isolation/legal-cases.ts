import { type Case, list, own, record, reference } from './case-kinds.js';

const NOTICE = { custodian: 'Mine', text: 'Mine' };
const LINK = { recipient: 'Mine', purpose: 'Mine', expires_in_hours: 1 };

/** Links to bundles, and notices of legal holds. */
export const LEGAL_CASES: Readonly<Record<string, readonly Case[]>> = {
  'POST /v1/bundles/{id}/links': [record('bundle', '/v1/bundles/{id}/links', { body: LINK })],
  'GET /v1/bundles/{id}/links': [
    record('bundle', '/v1/bundles/{id}/links'),
    list('bundleLink', { params: own('bundle') }),
  ],
  'DELETE /v1/bundles/{id}/links/{link_id}': [
    record('bundle', '/v1/bundles/{id}/links', { own: (b) => ({ link_id: b.ids.bundleLink }) }),
    record('bundleLink', null, { param: 'link_id', own: own('bundle') }),
  ],
  // Another link's identifier is no token: it opens as little as one that never was.
  'GET /v1/shared-bundles/{token}': [record('bundleLink', null, { param: 'token' })],

  'POST /v1/legal-holds/{id}/notices': [
    record('hold', '/v1/legal-holds/{id}/notices', { body: NOTICE }),
    reference('custodian_id', 'actor', (id) => ({ ...NOTICE, custodian_id: id }), own('hold')),
  ],
  'GET /v1/legal-holds/{id}/notices': [
    record('hold', '/v1/legal-holds/{id}/notices'),
    list('holdNotice', { params: own('hold') }),
  ],
  'GET /v1/hold-notices': [{ kind: 'own' }],
  'POST /v1/hold-notices/{id}/remind': [record('holdNotice', null, { body: {} })],
  'POST /v1/hold-notices/{id}/link': [record('holdNotice', null, { body: { expires_in_hours: 1 } })],
  // The identifier of a notice is no token: it opens as little as one that never was.
  'GET /v1/notice-links/{token}': [record('holdNotice', null, { param: 'token' })],
  'POST /v1/notice-links/{token}/acknowledge': [record('holdNotice', null, { param: 'token', body: { name: 'Mine' } })],
  'POST /v1/hold-notices/{id}/acknowledge': [record('holdNotice', null, { body: { how: 'Mine now' } })],
  'POST /v1/hold-notices/{id}/withdraw': [record('holdNotice', null, { body: {} })],
};
