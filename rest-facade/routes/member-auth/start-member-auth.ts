import { graphRoute } from '../../graph-route.js';
import { withCallersAddress } from './callers-address.js';

export const startMemberAuth = withCallersAddress(
  graphRoute({
    method: 'POST',
    path: '/v1/member-auth/start',
    area: 'member-auth',
    scope: 'member-auth:write',
    tenant: 'required',
    summary: 'Have a one-time code sent to a member',
    description:
      'Answered alike whether there is such a member or not. Six digits, good for ten minutes, once, in five tries; how many may be ' +
      'asked for is limited for each member and each address (429).',
    operation: { name: 'StartMemberAuth', field: 'startMemberAuth' },
    body: 'arguments',
    bodyExample: { member_id: 'M-1' },
    secretAnswer: true,
    answer: 'What the code is to be shown with.',
  }),
);
