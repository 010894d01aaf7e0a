import { graphRoute } from '../../graph-route.js';

export const unmergeMembers = graphRoute({
  method: 'POST',
  path: '/v1/members/{id}/unmerge',
  area: 'members',
  scope: 'members:write',
  tenant: 'required',
  summary: 'Take a merge back',
  description: 'Both records stand as before. 409 CONFLICT where the one was not merged into this one.',
  operation: { name: 'UnmergeMembers', field: 'unmergeMembers' },
  params: { id: 'member_id' },
  body: 'arguments',
  bodyExample: { source_member_id: 'M-2002', reason: 'Two persons after all.' },
  answer: 'The member that stood for both.',
});
