import type { ExtendRoute } from '../graph-route.js';
import { type RouteArea, routeTable } from '../route-table.js';

const MEMBER_AUTH: RouteArea = { area: 'member-auth', reads: 'member-auth:write' };

/** Fills in the caller's address where the body names none. */
const withCallerAddress: ExtendRoute = (route) => ({
  handle: (call) =>
    route.handle({ ...call, run: (variables) => call.run({ client_address: call.address, ...variables }) }),
});

export const memberAuthRoutes = routeTable(MEMBER_AUTH, {
  'POST /v1/member-auth/start': {
    summary: 'Send a one-time code to a member',
    description:
      'The answer is the same for an unknown member. The code has six digits and is valid once, for ten minutes and five ' +
      'attempts. The number of codes is limited for each member and each address (429).',
    operation: { name: 'StartMemberAuth', field: 'startMemberAuth' },
    bodyExample: { member_id: 'M-1' },
    secretAnswer: true,
    answer: 'The id to send with the code.',
    extend: withCallerAddress,
  },
  'POST /v1/member-auth/verify': {
    summary: "Open a member's session with the code that they received",
    description:
      '401 for a code that is wrong, used, expired or locked, and for an unknown challenge. The answer does not say which.',
    operation: { name: 'VerifyMemberAuth', field: 'verifyMemberAuth' },
    bodyExample: { challenge_id: 'chl_01JQ0000000000000000000001', code: '041887' },
    secretAnswer: true,
    answer: 'Tokens that read only this member’s record.',
  },
  'POST /v1/member-auth/refresh': {
    summary: "Renew a member's session",
    description: 'A refresh token is valid once; using it again ends the session (401).',
    operation: { name: 'RefreshMemberAuth', field: 'refreshMemberAuth' },
    bodyExample: { refresh_token: 'emr_01JQ0000000000000000000001_kP2vW6c7JtX1uQ0sR9yZ3aB5dE8fG4hM6nL0oIiUxTw' },
    secretAnswer: true,
    answer: 'New tokens; the old ones are no longer valid.',
  },
  'POST /v1/member-auth/logout': {
    members: { custody: 'own' },
    summary: "End a member's session",
    description:
      'With a member token: its own session. With a key: the session of the token in the body. Takes effect at once and is final.',
    operation: { name: 'LogoutMember', field: 'endMemberSession' },
    bodyOptional: true,
    bodyExample: {},
    answer: 'Confirmation that the session has ended.',
  },
});

const AVA_ACCESS: RouteArea = { area: 'ava-access', id: 'request_id', reads: 'ava-access:write' };

export const avaAccessRoutes = routeTable(AVA_ACCESS, {
  'POST /v1/ava-access/request': {
    freeForm: 'kept',
    summary: 'Ask a member for access to their record',
    description:
      'Sends a code to the member, who passes it on to give access. The answer is the same for an unknown member.',
    operation: { name: 'RequestAvaAccess', field: 'requestAvaAccess' },
    bodyExample: { member_id: 'M-1', purpose: 'CARE_COORDINATION', requested_by: 'ava-assistant' },
    secretAnswer: true,
    answer: 'The id to send with the code.',
    extend: withCallerAddress,
  },
  'POST /v1/ava-access/verify': {
    freeForm: 'ignored',
    summary: "Open a member's record with the code that they gave",
    description:
      '401 for a code that is wrong, used, expired or locked, and for an unknown request. The answer does not say which.',
    operation: { name: 'VerifyAvaAccess', field: 'verifyAvaAccess' },
    bodyExample: { request_id: 'avr_01JQ0000000000000000000001', code: '041887' },
    secretAnswer: true,
    answer: 'A token valid for at most 15 minutes; every read with it is recorded in custody.',
  },
  'POST /v1/ava-access/{id}/revoke': {
    summary: "Revoke access to a member's record",
    description: 'An unused code and an issued token become invalid at once.',
    operation: { name: 'RevokeAvaAccess', field: 'revokeAvaAccess' },
    answer: 'The request.',
  },
});
