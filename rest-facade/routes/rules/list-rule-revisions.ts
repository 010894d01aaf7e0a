import { graphRoute } from '../../graph-route.js';

export const listRuleRevisions = graphRoute({
  method: 'GET',
  path: '/v1/rules/{id}/revisions',
  area: 'rules',
  scope: 'rules:read',
  tenant: 'required',
  summary: 'List the revisions of a rule',
  operation: { name: 'ListRuleRevisions', field: 'ruleRevisions' },
  params: { id: 'rule_id' },
  answer: 'One page of its revisions, the newest first.',
});
