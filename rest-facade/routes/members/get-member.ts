import { graphRoute } from '../../graph-route.js';

export const getMember = graphRoute({
  method: 'GET',
  path: '/v1/members/{id}',
  area: 'members',
  scope: 'members:read',
  members: { custody: 'facade' },
  tenant: 'required',
  summary: 'Read one member',
  description: 'A record that is merged is shown as it is, MERGED, with a link to the one that stands for the person.',
  operation: { name: 'GetMember', field: 'member' },
  params: { id: 'member_id' },
  answer: 'The member.',
});
