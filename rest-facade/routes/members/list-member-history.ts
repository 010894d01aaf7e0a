import { graphRoute } from '../../graph-route.js';

export const listMemberHistory = graphRoute({
  method: 'GET',
  path: '/v1/members/{id}/history',
  area: 'members',
  scope: 'members:read',
  tenant: 'required',
  summary: 'Read what became of a member',
  description: 'Every change of the record with what was there before, who made it, and the event that told of it.',
  operation: { name: 'ListMemberHistory', field: 'memberHistory' },
  params: { id: 'member_id' },
  answer: 'One page of changes, newest first unless told.',
});
