// Routes that no question can ask, because the world of these suites has no such record. Each returns no content of a
// member's events or documents.

const SETTINGS = 'A setting of the tenant.';
const ACCESS = 'A record of who may call the service.';
const NOT_MADE = 'The record names members and records by id alone; it would change what a disposal may delete.';
const WRITES = 'Returns what the caller sent.';

/** Reason by route, for routes whose path or body names a record that the world lacks. */
export const SILENT_ROUTES: Readonly<Record<string, string>> = {
  'GET /v1/actors/{id}': ACCESS,
  'GET /v1/api-keys/{id}': ACCESS,
  'GET /v1/roles/{id}': ACCESS,
  'GET /v1/appointments/{id}': 'A visit is a row of the calendar, without content of events or documents.',
  'GET /v1/connectors/{id}': SETTINGS,
  'GET /v1/data-rights/{id}': NOT_MADE,
  'GET /v1/data-rights/{id}/disclosures': NOT_MADE,
  'GET /v1/feature-flags/{key}': SETTINGS,
  'GET /v1/leads/{id}': 'A lead is no member.',
  'GET /v1/legal-holds/{id}': NOT_MADE,
  'GET /v1/legal-holds/{id}/notices': 'A notice has the text of the law department, and no content of records.',
  'GET /v1/legal-holds/{id}/tombstones': NOT_MADE,
  'GET /v1/rules/{id}': SETTINGS,
  'GET /v1/rules/{id}/revisions': SETTINGS,
  'GET /v1/rules/{id}/revisions/{n}': SETTINGS,
  'GET /v1/signing-keys/{id}': ACCESS,
  'GET /v1/source-feeds/{id}': SETTINGS,
  'POST /v1/events/validate': WRITES,
  'POST /v1/ingest/raw/validate': WRITES,
  'POST /v1/feature-flags/evaluate': SETTINGS,
  'POST /ofrep/v1/evaluate/flags': SETTINGS,
  'POST /ofrep/v1/evaluate/flags/{key}': SETTINGS,
  'POST /v1/rules/preview': SETTINGS,
  'POST /v1/session': ACCESS,
  'POST /v1/consent/check': 'Returns a verdict and ids of consents.',
  'POST /v1/members/match': 'Compares the record in the body with the directory.',
  'POST /graphql': 'graph-questions.ts asks each field of the graph.',
};
