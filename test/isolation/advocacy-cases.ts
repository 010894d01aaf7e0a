import { ruleOf } from '../support/records.js';
import { type Case, list, own, record } from './case-kinds.js';

const ofEvent = (more: { readonly body?: unknown } = {}): Case =>
  record('event', '/v1/events/{event_id}', { param: 'event_id', ...more });

/** Answers about an event of A's, and rules of A's own; the shared corpus is everybody's. */
export const ADVOCACY_CASES: Readonly<Record<string, readonly Case[]>> = {
  'GET /v1/advocacy/explain/{event_id}': [ofEvent()],
  'GET /v1/advocacy/guideline/{event_id}': [ofEvent()],
  'POST /v1/advocacy/recode/{event_id}': [ofEvent({ body: {} })],

  'POST /v1/rules': [{ kind: 'own', body: ruleOf('my-own'), readAt: (a) => `/v1/rules/${a.ids.rule}` }],
  'POST /v1/rules/preview': [{ kind: 'own', body: { rule: ruleOf('tried') } }],
  'GET /v1/rules': [list('rule'), list('rule', { query: 'kind=POLICY' })],
  'GET /v1/rules/{id}': [record('rule', '/v1/rules/{id}')],
  'GET /v1/rules/{id}/revisions': [record('rule', '/v1/rules/{id}')],
  'GET /v1/rules/{id}/revisions/{n}': [
    record('rule', '/v1/rules/{id}', { own: () => ({ n: '1' }) }),
    // A number within the rule: an identifier in its place names nothing.
    record('rule', null, { param: 'n', own: own('rule') }),
  ],
};
