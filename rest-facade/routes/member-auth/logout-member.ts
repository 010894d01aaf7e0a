import { graphRoute } from '../../graph-route.js';

export const logoutMember = graphRoute({
  method: 'POST',
  path: '/v1/member-auth/logout',
  area: 'member-auth',
  scope: 'member-auth:write',
  members: { custody: 'own' },
  tenant: 'required',
  summary: "End a member's session",
  description:
    'With a token of member access its own; with a key the one whose token the body names. At once, and for good.',
  operation: { name: 'LogoutMember', field: 'endMemberSession' },
  body: 'arguments',
  bodyOptional: true,
  bodyExample: {},
  answer: 'The session is over.',
});
