import { type RouteArea, routeTable } from '../../route-table.js';
import { getMemberTimeline } from './get-member-timeline.js';

const MEMBERS: RouteArea = { area: 'members', id: 'member_id', reads: 'members:read', writes: 'members:write' };

export const memberRoutes = routeTable(MEMBERS, {
  'POST /v1/members': {
    summary: 'Add a member to the directory',
    description: '409 CONFLICT if the directory already has the identifier.',
    operation: { name: 'CreateMember', field: 'createMember' },
    bodyExample: {
      member_id: 'M-1001',
      identifiers: [{ system: 'ssn', value: '212-34-5566' }],
      name: { family: 'Okafor', given: ['Adaeze', 'Ruth'] },
      birth_date: '1970-01-31',
      sex: 'FEMALE',
      addresses: [{ lines: ['12 Elm Street'], city: 'Springfield', state: 'IL', postal_code: '62704' }],
      phones: ['217-555-0142'],
      program: 'Medicare',
    },
    answer: 'The member, ACTIVE.',
  },
  'GET /v1/members': {
    summary: 'List members',
    operation: { name: 'ListMembers', field: 'members' },
    answer: 'One page of members, newest first by default.',
  },
  'GET /v1/members/search': {
    summary: 'Search members while typing',
    description:
      '`q` is the typed text: names in any order, a date, an identifier, a telephone number. Or send the parts separately. The search tolerates typing errors.',
    operation: { name: 'SearchMembers', field: 'searchMembers' },
    answer: 'Members, the likeliest first, each with its score and the parts of the score.',
  },
  'POST /v1/members/match': {
    scope: 'members:read',
    summary: 'Match a record to members',
    description: 'Compares every field that both have. Matches below POSSIBLE are left out.',
    operation: { name: 'MatchMember', field: 'matchMember' },
    bodyExample: {
      record: { name: { family: 'Okafor', given: ['Adaeze'] }, birth_date: '1970-01-31' },
      limit: 5,
    },
    answer: 'Members, the likeliest first, each with its score and the parts of the score.',
  },
  'GET /v1/members/{id}': {
    members: { custody: 'facade' },
    summary: 'Read one member',
    description: 'A merged record is shown as it is, MERGED, with a link to the surviving member.',
    operation: { name: 'GetMember', field: 'member' },
    answer: 'The member.',
  },
  'GET /v1/members/{id}/timeline': getMemberTimeline,
  'PATCH /v1/members/{id}': {
    summary: 'Change a member',
    description:
      'Absent members stay, given ones replace, null removes. `revision` names the revision that the change is based on.',
    operation: { name: 'UpdateMember', field: 'updateMember' },
    bodyExample: { phones: ['217-555-0143'], revision: 1 },
    answer: 'The member.',
  },
  'POST /v1/members/{id}/merge': {
    summary: 'Merge another record into this member',
    description:
      'Links the two records as one person; copies and rewrites nothing. 409 CONFLICT for a record that is merged already, for itself, and for a merge that would form a cycle.',
    operation: { name: 'MergeMembers', field: 'mergeMembers' },
    bodyExample: { source_member_id: 'M-2002', reason: 'Same card, same birth date.' },
    answer: 'The surviving member.',
  },
  'POST /v1/members/{id}/unmerge': {
    summary: 'Undo a merge',
    description: 'Restores both records. 409 CONFLICT if the record was not merged into this one.',
    operation: { name: 'UnmergeMembers', field: 'unmergeMembers' },
    bodyExample: { source_member_id: 'M-2002', reason: 'Two persons after all.' },
    answer: 'The member that survived the merge.',
  },
  'GET /v1/members/{id}/history': {
    summary: 'Read the history of a member',
    description: 'Every change of the record with the previous values, its author and its source event.',
    operation: { name: 'ListMemberHistory', field: 'memberHistory' },
    answer: 'One page of changes, newest first by default.',
  },
});
