import { graphRoute } from '../../graph-route.js';

export const matchMember = graphRoute({
  method: 'POST',
  path: '/v1/members/match',
  area: 'members',
  scope: 'members:read',
  tenant: 'required',
  summary: 'Find the member that a record is of',
  description: 'By every field that both have; below the threshold of POSSIBLE nothing is shown.',
  operation: { name: 'MatchMember', field: 'matchMember' },
  body: 'arguments',
  bodyExample: {
    record: { name: { family: 'Okafor', given: ['Adaeze'] }, birth_date: '1970-01-31' },
    limit: 5,
  },
  answer: 'Members, the likeliest first, each with its score and what it is made of.',
});
