import { graphRoute } from '../../graph-route.js';

export const searchMembers = graphRoute({
  method: 'GET',
  path: '/v1/members/search',
  area: 'members',
  scope: 'members:read',
  tenant: 'required',
  summary: 'Search members as one types',
  description:
    '`q` holds what was typed: names in any order, a date, an identifier, a telephone number. Or the parts one by one. Typing errors are borne.',
  operation: { name: 'SearchMembers', field: 'searchMembers' },
  answer: 'Members, the likeliest first, each with its score and what it is made of.',
});
