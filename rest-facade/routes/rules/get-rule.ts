import { graphRoute } from '../../graph-route.js';

export const getRule = graphRoute({
  method: 'GET',
  path: '/v1/rules/{id}',
  area: 'rules',
  scope: 'rules:read',
  tenant: 'required',
  summary: 'Read one rule',
  operation: { name: 'GetRule', field: 'rule' },
  params: { id: 'rule_id' },
  answer: 'The rule in its newest revision.',
});
