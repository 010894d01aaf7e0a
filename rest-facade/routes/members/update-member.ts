import { graphRoute } from '../../graph-route.js';

export const updateMember = graphRoute({
  method: 'PATCH',
  path: '/v1/members/{id}',
  area: 'members',
  scope: 'members:write',
  tenant: 'required',
  summary: 'Change a member',
  description: 'Absent stays, what is given replaces, null takes away. `revision` names the one that it is made on.',
  operation: { name: 'UpdateMember', field: 'updateMember' },
  params: { id: 'member_id' },
  body: { argument: 'input' },
  bodyExample: { phones: ['217-555-0143'], revision: 1 },
  answer: 'The member.',
});
