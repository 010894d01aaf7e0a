import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { appliesIn } from '../domain/rules/rule-applies.js';
import { periodsOf, revisionAt } from '../domain/rules/rule-periods.js';
import type { RuleBook, RuleRevision, RulesAsked } from './ports/rule-book.js';
import type { RuleStore, StoredRule } from './ports/rule-store.js';
import { shownRevision } from './read-rules.js';

/** The rules in force, read off the store. */
export const ruleBookOver = (rules: RuleStore): RuleBook => ({
  async inForce(tenantId, asked) {
    const readable = rules(tenantId);
    const found = await readable.withCodes(asked.codes, asked.kinds);
    const inForce = found.flatMap((rule) => revisionInForce(rule, asked.at));
    const own = new Set(inForce.filter(({ shared }) => !shared).map(({ key }) => key));
    const sharedKeys = inForce.filter(({ shared, key }) => shared && !own.has(key)).map(({ key }) => key);
    for (const key of await overridden(rules, tenantId, sharedKeys, asked.at)) own.add(key);
    return inForce
      .filter(({ shared, key }) => !shared || !own.has(key))
      .filter((rule) => appliesIn(rule, asked))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  },
});

/** Keys of shared rules in whose place a rule of the tenant stands that names other codes or is of another kind. */
async function overridden(
  rules: RuleStore,
  tenantId: TenantId,
  keys: readonly string[],
  at: Date,
): Promise<readonly string[]> {
  if (keys.length === 0 || tenantId === OPERATOR_TENANT) return [];
  const own = await rules(tenantId).withKeys(keys);
  return own.filter((rule) => revisionInForce(rule, at).length > 0).map(({ key }) => key);
}

function revisionInForce(rule: StoredRule, at: RulesAsked['at']): readonly RuleRevision[] {
  const number = revisionAt(periodsOf(rule.revisions) ?? [], at);
  const revision = rule.revisions.find((one) => one.revision === number);
  return revision === undefined ? [] : [shownRevision(rule, revision)];
}
