import { graphRoute } from '../../graph-route.js';
import { withCallersAddress } from '../member-auth/callers-address.js';

export const requestAvaAccess = withCallersAddress(
  graphRoute({
    method: 'POST',
    path: '/v1/ava-access/request',
    area: 'ava-access',
    scope: 'ava-access:write',
    tenant: 'required',
    summary: 'Ask a member for access to their record',
    description:
      'A code goes to the member, who tells it to those whom they want to read. Answered alike whether there is such a member or not.',
    operation: { name: 'RequestAvaAccess', field: 'requestAvaAccess' },
    body: 'arguments',
    bodyExample: { member_id: 'M-1', purpose: 'CARE_COORDINATION', requested_by: 'ava-assistant' },
    secretAnswer: true,
    answer: 'What the code is to be shown with.',
  }),
);
