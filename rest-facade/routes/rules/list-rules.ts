import { graphRoute } from '../../graph-route.js';

export const listRules = graphRoute({
  method: 'GET',
  path: '/v1/rules',
  area: 'rules',
  scope: 'rules:read',
  tenant: 'required',
  summary: 'List rules',
  description:
    "The tenant's own and those of the shared corpus, each in its newest revision, or in the one in force `at` a time.",
  operation: { name: 'ListRules', field: 'rules' },
  answer: 'One page of rules, newest first unless told.',
});
