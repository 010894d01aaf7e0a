import { graphRoute } from '../../graph-route.js';

export const putRetentionPolicies = graphRoute({
  method: 'PUT',
  path: '/v1/retention-policies',
  area: 'retention',
  scope: 'retention:write',
  tenant: 'required',
  summary: 'Replace the retention policies',
  description:
    'Each names an event_family or a document_type. None may be shorter than the deployment allows. A policy counts from when a thing happened, unless counts_from says LATER.',
  operation: { name: 'PutRetentionPolicies', field: 'putRetentionPolicies' },
  body: { argument: 'input' },
  bodyExample: { default_years: 10, policies: [{ event_family: 'claims', years: 12 }] },
  answer: 'The policies as they stand now.',
});
