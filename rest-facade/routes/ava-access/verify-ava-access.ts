import { graphRoute } from '../../graph-route.js';

export const verifyAvaAccess = graphRoute({
  method: 'POST',
  path: '/v1/ava-access/verify',
  area: 'ava-access',
  scope: 'ava-access:write',
  tenant: 'required',
  summary: "Open a member's record with the code that they told",
  description:
    '401 for a code that is wrong, used, expired or locked, and for a request that never was: there is no telling which.',
  operation: { name: 'VerifyAvaAccess', field: 'verifyAvaAccess' },
  body: 'arguments',
  bodyExample: { request_id: 'avr_01JQ0000000000000000000001', code: '041887' },
  secretAnswer: true,
  answer: 'A token of at most 15 minutes; every read with it is in custody.',
});
