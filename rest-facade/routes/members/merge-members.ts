import { graphRoute } from '../../graph-route.js';

export const mergeMembers = graphRoute({
  method: 'POST',
  path: '/v1/members/{id}/merge',
  area: 'members',
  scope: 'members:write',
  tenant: 'required',
  summary: 'Merge another record into this member',
  description:
    'Nothing is copied and nothing rewritten: a link says that the two are one person. 409 CONFLICT for a record merged already, for one with itself and for a merge that would lead round.',
  operation: { name: 'MergeMembers', field: 'mergeMembers' },
  params: { id: 'member_id' },
  body: 'arguments',
  bodyExample: { source_member_id: 'M-2002', reason: 'Same card, same birth date.' },
  answer: 'The member that stands for both.',
});
