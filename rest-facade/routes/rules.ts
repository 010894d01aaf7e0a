import { problem } from '../../shared/errors/problem.js';
import { type RouteArea, routeTable } from '../route-table.js';

const RULES: RouteArea = { area: 'rules', id: 'rule_id', reads: 'rules:read', writes: 'rules:write' };

/** An artifact of 10 MiB in base64, and the rule around it. */
const MAX_BODY_BYTES = 16 * 1_048_576;
/** Revisions count from 1. */
const REVISION_PATTERN = /^[1-9][0-9]{0,5}$/;

export const ruleRoutes = routeTable(RULES, {
  'POST /v1/rules': {
    summary: 'Add a rule, or its next revision',
    description:
      'A new key creates a rule, a known key its next revision; identical content returns the existing revision. ' +
      '409 CONFLICT if two revisions would be in force at once; 413 for an artifact over 10 MiB.',
    operation: { name: 'PutRule', field: 'putRule' },
    maxBodyBytes: () => MAX_BODY_BYTES,
    bodyExample: {
      key: 'acme-cpap-2026',
      title: 'CPAP for obstructive sleep apnea',
      kind: 'GUIDELINE',
      program: 'Commercial',
      effective_from: '2026-01-01',
      codes: ['HCPCS/E0601'],
      criteria: [{ id: 'c1', text: 'Age 18 or more.', logic: { '>=': [{ var: 'member.age_years' }, 18] } }],
      citation: 'Acme Health Plan, medical policy 12.1',
    },
    answer: 'The revision with this content.',
  },
  'POST /v1/rules/preview': {
    summary: 'Try a rule on recent events',
    description:
      'Evaluates the rule on the newest events of the tenant (`last`), as if it were in force, and stores nothing. Needs ' +
      'events:read too. A criterion that is only ever `no_value` names facts that your records do not hold.',
    operation: { name: 'PreviewRule', field: 'rulePreview' },
    maxBodyBytes: () => MAX_BODY_BYTES,
    bodyExample: {
      rule: {
        key: 'acme-cpap-2026',
        title: 'CPAP for obstructive sleep apnea',
        kind: 'GUIDELINE',
        effective_from: '2026-01-01',
        codes: ['HCPCS/E0601'],
        criteria: [{ id: 'c1', text: 'Age 18 or more.', logic: { '>=': [{ var: 'member.age_years' }, 18] } }],
      },
      last: 50,
    },
    answer: 'Verdicts, and the results of each criterion.',
  },
  'GET /v1/rules': {
    summary: 'List rules',
    description:
      "The tenant's rules and those of the shared corpus, each in its newest revision, or in the revision in force `at` a time.",
    operation: { name: 'ListRules', field: 'rules' },
    answer: 'One page of rules, newest first by default.',
  },
  'GET /v1/rules/{id}': {
    summary: 'Read one rule',
    operation: { name: 'GetRule', field: 'rule' },
    answer: 'The rule in its newest revision.',
  },
  'GET /v1/rules/{id}/revisions': {
    summary: 'List the revisions of a rule',
    operation: { name: 'ListRuleRevisions', field: 'ruleRevisions' },
    answer: 'One page of revisions, the newest first.',
  },
  'GET /v1/rules/{id}/revisions/{n}': {
    summary: 'Read one revision of a rule',
    operation: { name: 'GetRuleRevision', field: 'ruleRevision' },
    params: { id: 'rule_id', n: 'revision' },
    answer: 'The revision; it never changes.',
    extend: () => ({
      handle: async ({ params, run }) => {
        const { id, n = '' } = params;
        const found = REVISION_PATTERN.test(n) ? await run({ rule_id: id, revision: Number(n) }) : null;
        if (found === null) throw problem('NOT_FOUND');
        return found;
      },
    }),
  },
});
