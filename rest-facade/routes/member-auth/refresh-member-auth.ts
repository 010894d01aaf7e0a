import { graphRoute } from '../../graph-route.js';

export const refreshMemberAuth = graphRoute({
  method: 'POST',
  path: '/v1/member-auth/refresh',
  area: 'member-auth',
  scope: 'member-auth:write',
  tenant: 'required',
  summary: "Renew a member's session",
  description: 'A refresh token is good once; one that comes a second time ends the session (401).',
  operation: { name: 'RefreshMemberAuth', field: 'refreshMemberAuth' },
  body: 'arguments',
  bodyExample: { refresh_token: 'emr_01JQ0000000000000000000001_kP2vW6c7JtX1uQ0sR9yZ3aB5dE8fG4hM6nL0oIiUxTw' },
  secretAnswer: true,
  answer: 'New tokens; the old ones are worth nothing any more.',
});
