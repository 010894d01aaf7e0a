import { type Case, list, record, reference } from './case-kinds.js';
import { SAME } from './world.js';

// Sessions and saved views of the console, consent, and the access of members and of those who act for them.

const CONSENT = { member_id: SAME.member, decision: 'DENY', purpose: 'MARKETING' };
const VIEW = { name: SAME.view, address: '/events?outcome=mine', shared: true };
const ACCESS = { purpose: 'APPEAL_SUPPORT', requested_by: 'me' };

export const ACCESS_CASES: Readonly<Record<string, readonly Case[]>> = {
  'POST /v1/session': [{ kind: 'own', body: {}, readAt: () => '/v1/sessions' }],
  'GET /v1/session': [{ kind: 'own' }],
  'DELETE /v1/session': [{ kind: 'own', readAt: () => '/v1/sessions' }],
  'GET /v1/sessions': [list('session')],
  'DELETE /v1/sessions/{id}': [record('session', '/v1/sessions')],
  'POST /v1/saved-views': [{ kind: 'own', body: VIEW, readAt: () => '/v1/saved-views' }],
  'GET /v1/saved-views': [list('savedView'), list('savedView', { query: 'screen=EVENTS' })],
  'DELETE /v1/saved-views/{id}': [record('savedView', '/v1/saved-views')],
  'GET /v1/consent': [list('consent'), list('consent', { query: `member_id=${SAME.member}` })],
  'POST /v1/consent': [reference('source_document_id', 'document', (id) => ({ ...CONSENT, source_document_id: id }))],
  'POST /v1/consent/check': [
    { kind: 'own', body: { member_id: SAME.member, purpose: 'MARKETING' }, readAt: () => '/v1/consent' },
  ],
  'GET /v1/consent/policy': [{ kind: 'own' }],
  'PUT /v1/consent/policy': [
    { kind: 'own', body: { part2_source_systems: ['mine'] }, readAt: () => '/v1/consent/policy' },
  ],
  'GET /v1/consent/{id}': [record('consent', '/v1/consent/{id}')],
  'POST /v1/consent/{id}/revoke': [record('consent', '/v1/consent/{id}', { body: {} })],
  'POST /v1/member-auth/start': [{ kind: 'own', body: { member_id: SAME.member } }],
  'POST /v1/member-auth/verify': [
    reference('challenge_id', 'challenge', (id) => ({ challenge_id: id, code: '000000' })),
  ],
  'POST /v1/member-auth/refresh': [{ kind: 'own', body: { refresh_token: 'emr_mine' } }],
  'POST /v1/member-auth/logout': [{ kind: 'own', body: {} }],
  'POST /v1/ava-access/request': [{ kind: 'own', body: { ...ACCESS, member_id: SAME.member } }],
  'POST /v1/ava-access/verify': [reference('request_id', 'avaRequest', (id) => ({ request_id: id, code: '000000' }))],
  'POST /v1/ava-access/{id}/revoke': [record('avaRequest', null, { body: {} })],
};
