// Bodies that make the smallest record of each sort.

/** A rule of a plan's own. */
export const ruleOf = (key: string) => ({ key, title: key, kind: 'POLICY', effective_from: '2026-01-01' });

export const feedOf = (source_system: string) => ({
  source_system,
  expected_interval_seconds: 60,
  description: source_system,
});

export const connectorOf = (source_system: string) => ({
  kind: 'FHIR',
  name: source_system,
  source_system,
  config: { transport: 'ENDPOINT' },
});

export const decisionOf = (rationale: string) => ({
  decision_type: 'OTHER',
  model: { name: rationale, version: '1' },
  inputs: [rationale],
  recommendation: 'REFER',
  rationale,
});

export const holdOf = (name: string) => ({ name, reason: name, scope: { member_ids: [name] } });

export const redactionOf = (subject: { readonly kind: string; readonly id: string }) => ({
  subject,
  pointers: ['/payload'],
  reason: 'Named a third person.',
  basis: '45 CFR 164.528',
});
