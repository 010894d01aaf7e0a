import { graphRoute } from '../../graph-route.js';

export const receiveDataRight = graphRoute({
  method: 'POST',
  path: '/v1/data-rights',
  area: 'data-rights',
  scope: 'data-rights:write',
  tenant: 'required',
  summary: 'Take in what a member asks about their data',
  description: '404 for somebody of whom nothing is known. It is due 30 days after it was received.',
  operation: { name: 'ReceiveDataRight', field: 'receiveDataRight' },
  body: { argument: 'input' },
  bodyExample: {
    member_id: 'M-1',
    right: 'ACCESS',
    requester: { name: 'Jordan Doe', relationship: 'SELF' },
    received_at: '2026-03-02T14:11:10Z',
    details: 'Everything since 2020.',
  },
  answer: 'The request.',
});
