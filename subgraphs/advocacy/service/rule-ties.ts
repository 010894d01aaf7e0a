import { isoTime } from '../../../shared/clock/clock.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import type { StoredRule, TenantRules } from './ports/rule-store.js';

/** Rules by the codes that their newest revision is about; a family of codes is not one. */
export async function ruleTies(
  rules: Pick<TenantRules, 'get'>,
  ruleIds: readonly string[],
): Promise<readonly RecordTies[]> {
  const found = await Promise.all(ruleIds.map((id) => rules.get(id)));
  return found.flatMap((rule) => (rule === null ? [] : [tiesOf(rule)]));
}

function tiesOf({ rule_id, created_at, revisions }: StoredRule): RecordTies {
  const newest = revisions.at(-1);
  const codes = (newest?.codes ?? []).filter((code) => !code.endsWith('*'));
  return {
    kind: 'rule',
    id: rule_id,
    at: isoTime(created_at.getTime()),
    label: newest?.kind ?? null,
    status: null,
    names: codes.map((code) => `code:${code}`),
  };
}
