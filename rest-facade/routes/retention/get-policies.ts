import { graphRoute } from '../../graph-route.js';

export const getRetentionPolicies = graphRoute({
  method: 'GET',
  path: '/v1/retention-policies',
  area: 'retention',
  scope: 'retention:read',
  tenant: 'required',
  summary: 'Read the retention policies',
  operation: { name: 'GetRetentionPolicies', field: 'retentionPolicies' },
  answer: 'All of them, and the default.',
});
