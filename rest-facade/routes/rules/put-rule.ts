import { graphRoute } from '../../graph-route.js';

/** 10 MiB in base64, and the rule around them. */
const MAX_BODY_BYTES = 16 * 1_048_576;

export const putRule = graphRoute({
  method: 'POST',
  path: '/v1/rules',
  area: 'rules',
  scope: 'rules:write',
  tenant: 'required',
  summary: 'Add a rule, or its next revision',
  description:
    'A new key makes a rule, a known one its next revision; what says the same as a revision that stands is that revision. ' +
    '409 CONFLICT where two revisions would be in force at once; 413 for an artifact over 10 MiB.',
  operation: { name: 'PutRule', field: 'putRule' },
  body: { argument: 'input' },
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
  answer: 'The revision that now says this.',
});
