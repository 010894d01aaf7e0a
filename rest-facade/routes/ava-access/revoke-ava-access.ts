import { graphRoute } from '../../graph-route.js';

export const revokeAvaAccess = graphRoute({
  method: 'POST',
  path: '/v1/ava-access/{id}/revoke',
  area: 'ava-access',
  scope: 'ava-access:write',
  tenant: 'required',
  summary: "Take back access to a member's record",
  description:
    'A code that is not proven proves nothing any more; a token that was given is worth nothing from now on.',
  operation: { name: 'RevokeAvaAccess', field: 'revokeAvaAccess' },
  params: { id: 'request_id' },
  body: 'free',
  answer: 'The request.',
});
