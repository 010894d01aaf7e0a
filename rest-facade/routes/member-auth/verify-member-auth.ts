import { graphRoute } from '../../graph-route.js';

export const verifyMemberAuth = graphRoute({
  method: 'POST',
  path: '/v1/member-auth/verify',
  area: 'member-auth',
  scope: 'member-auth:write',
  tenant: 'required',
  summary: "Open a member's session with the code that they read",
  description:
    '401 for a code that is wrong, used, expired or locked, and for a challenge that never was: there is no telling which.',
  operation: { name: 'VerifyMemberAuth', field: 'verifyMemberAuth' },
  body: 'arguments',
  bodyExample: { challenge_id: 'chl_01JQ0000000000000000000001', code: '041887' },
  secretAnswer: true,
  answer: 'Tokens that read the record of this member alone.',
});
