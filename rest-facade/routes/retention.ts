import { type RouteArea, routeTable } from '../route-table.js';

const RETENTION: RouteArea = { area: 'retention', reads: 'retention:read', writes: 'retention:write' };

export const retentionRoutes = routeTable(RETENTION, {
  'GET /v1/retention-policies': {
    summary: 'Read the retention policies',
    operation: { name: 'GetRetentionPolicies', field: 'retentionPolicies' },
    answer: 'All policies and the default.',
  },
  'PUT /v1/retention-policies': {
    summary: 'Replace the retention policies',
    description:
      'Each policy names an event_family or a document_type. None may be shorter than the minimum of the deployment. The age counts from when the record took effect; with counts_from LATER, from the later of that and its recording.',
    operation: { name: 'PutRetentionPolicies', field: 'putRetentionPolicies' },
    bodyExample: { default_years: 10, policies: [{ event_family: 'claims', years: 12 }] },
    answer: 'The updated policies.',
  },
  'POST /v1/retention/sweep': {
    summary: 'Dispose of records past their retention',
    description:
      'Held records stay, and the refusal is recorded. Headers and chain stay; each disposal leaves a certificate in custody. dry_run deletes nothing.',
    operation: { name: 'SweepRetention', field: 'sweepRetention' },
    bodyOptional: true,
    bodyExample: { dry_run: true },
    answer: 'The records that are, or would be, disposed of, and the held ones.',
  },
});
