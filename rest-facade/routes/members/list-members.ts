import { graphRoute } from '../../graph-route.js';

export const listMembers = graphRoute({
  method: 'GET',
  path: '/v1/members',
  area: 'members',
  scope: 'members:read',
  tenant: 'required',
  summary: 'List members',
  operation: { name: 'ListMembers', field: 'members' },
  answer: 'One page of members, newest first unless told.',
});
