import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RuleWrite } from '../../../subgraphs/advocacy/rules/ports.js';

const ids = ulidIds(() => Date.now(), systemRandomness());

/** Rules as they are written, of codes spread so that each code is of about ten in 20,000 rules. */
export const ruleWrites = (tenantId: TenantId, from: number, count: number): readonly RuleWrite[] =>
  Array.from({ length: count }, (_, i) => ruleWrite(tenantId, from + i));

function ruleWrite(tenantId: TenantId, n: number): RuleWrite {
  const at = new Date(Date.UTC(2026, 0, 1) + n);
  const service = `E${String(n % 2_000).padStart(4, '0')}`;
  return {
    rule: { rule_id: ids.next('rule'), tenant_id: tenantId, key: `rule-${n}`, created_at: at, updated_at: at },
    before: [],
    added: {
      revision: 1,
      title: `Rule ${n}`,
      kind: 'GUIDELINE',
      jurisdiction: null,
      program: null,
      effective_from: new Date(Date.UTC(2020, 0, 1)),
      effective_to: null,
      codes: [`HCPCS/${service}`, `ICD10CM/G${String(n % 100).padStart(2, '0')}.${n % 9_000}`],
      criteria: [{ id: 'c1', text: 'Age 18 or more.', logic: { '>=': [{ var: 'member.age_years' }, 18] } }],
      body: 'Criteria of a plan. '.repeat(20),
      citation: `Policy ${n}`,
      artifact_sha256: String(n).padStart(64, '0'),
      artifact_size: 100,
      artifact_media_type: 'application/json',
      content_sha256: String(n).padStart(64, '0'),
      created_at: at,
      created_by: 'key_01JQ0000000000000000000001',
      work_id: null,
    },
    pending: [],
  };
}
