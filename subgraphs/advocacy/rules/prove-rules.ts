import { type AdoptableRows, isAdoption } from '../../../shared/facts/adoption.js';
import { type Fact, FactPlace } from '../../../shared/facts/fact.js';
import type { FactGuard, RowDamage } from '../../../shared/facts/guard.js';
import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { shortText } from '../../../shared/json/short-text.js';
import type { RuleRows, StoredRule, TenantRuleRows } from './ports.js';
import { adoptedRule, ruleSubject, stateOfRule, writeOfFact } from './rule-facts.js';

export interface ProveDeps {
  readonly guard: FactGuard;
  readonly tenantId: TenantId;
  readonly rows: TenantRuleRows;
}

type Rows = ReadonlyMap<string, StoredRule | null>;

/**
 * Returns the rules by key, each as its latest fact proves it; keys without a fact and a row are left out. Writes rows that
 * a crash left behind their facts.
 *
 * @param rows the rows that were read, null for a key without one
 * @throws INTEGRITY_FAILURE for a row that its latest fact does not prove
 */
export async function proveRules(
  deps: ProveDeps,
  rows: Rows,
  bySweep = false,
): Promise<ReadonlyMap<string, StoredRule>> {
  const proven = new Map<string, StoredRule>();
  for (let waiting = rows; waiting.size > 0; ) {
    const behind = new Map<string, StoredRule | null>();
    const asked = [...waiting].map(([key, row]) => ({ key, row, known: FactPlace.safeParse(row?.fact).data ?? null }));
    const questions = asked.map(({ key, known }) => ({ subject: ruleSubject(key), known }));
    const answers = await deps.guard.read(deps.tenantId, questions);
    for (const [i, { key, row }] of asked.entries()) {
      const { known, newer } = answers[i] ?? { known: null, newer: [] };
      const [first] = newer;
      const adopts = row !== null && row.fact === undefined && first !== undefined && isAdoption(first);
      await compare(deps, key, row, adopts ? first : known);
      if (newer.length > 0) behind.set(key, await catchUp(deps, key, row, { newer, bySweep }));
      else if (row !== null) proven.set(key, row);
    }
    waiting = behind;
  }
  return proven;
}

const reject = ({ guard, tenantId }: ProveDeps, key: string, damage: RowDamage): Promise<never> =>
  guard.reject(tenantId, ruleSubject(key), damage);

async function compare(deps: ProveDeps, key: string, row: StoredRule | null, fact: Fact | null): Promise<void> {
  if (row === null) return;
  if (fact === null) await reject(deps, key, 'FACT_MISSING');
  else if (canonicalJson(fact.state) !== canonicalJson(stateOfRule(row))) await reject(deps, key, 'ROW_DIFFERS');
}

async function catchUp(
  deps: ProveDeps,
  key: string,
  row: StoredRule | null,
  { newer, bySweep }: { readonly newer: readonly Fact[]; readonly bySweep: boolean },
): Promise<StoredRule | null> {
  const damage = row === null ? 'ROW_MISSING' : 'ROW_DIFFERS';
  let before = row;
  for (const fact of newer) {
    // The sweep has written the rows of older facts: someone took this one back, or away.
    if (!bySweep && (await deps.guard.hasSwept(Date.parse(fact.at)))) return reject(deps, key, damage);
    const isUnnamed = before !== null && before.fact === undefined;
    const write = writeOfFact(fact, before);
    if (write === null || (isUnnamed && !isAdoption(fact))) return reject(deps, key, damage);
    if (before === null) await deps.rows.insert(write, fact.place);
    else if (isUnnamed) await deps.rows.adopt(before.rule_id, fact.place);
    else await deps.rows.addRevision(write, fact.place);
    before = await deps.rows.byKey(key);
    if (before === null) return reject(deps, key, 'ROW_MISSING');
  }
  return before;
}

/** The rules of a tenant, for the command that adopts rows of earlier versions. */
export const adoptableRules = (rows: RuleRows, collection: string): AdoptableRows => ({
  collection,
  rows: async function* (tenantId) {
    // The shared corpus has no facts.
    if (tenantId === OPERATOR_TENANT) return;
    for await (const rule of rows(tenantId).all()) {
      const [key, createdAt]: readonly unknown[] = [rule.key, rule.created_at];
      yield {
        id: typeof key === 'string' ? key : null,
        key: shortText(rule.rule_id),
        fact: rule.fact,
        createdAt: createdAt instanceof Date ? createdAt : null,
        adopted: () => [adoptedRule(rule)],
      };
    }
  },
});
