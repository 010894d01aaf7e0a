import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { LedgerEventView } from '../../../shared/contracts/event-reads.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { decodeCursor, encodeCursor, type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { eventCodes } from '../facts/domain/index.js';
import { appliesIn, periodsOf, revisionAt } from './domain/in-force.js';
import type {
  RuleBook,
  RuleQuery,
  RuleRevision,
  RuleStore,
  RulesInForceQuery,
  StoredRevision,
  StoredRule,
  TenantRules,
} from './ports.js';

interface ReadRuleDeps {
  readonly rules: RuleStore;
}

/** A revision as lists show it. */
export interface ShownRevision extends RuleRevision {
  readonly artifact_size: number;
  readonly artifact_media_type: string;
  readonly created_at: Date;
  readonly created_by: string;
}

export function shownRevision(rule: StoredRule, revision: StoredRevision): ShownRevision {
  const { content_sha256: _, work_id: __, ...rest } = revision;
  return { ...rest, rule_id: rule.rule_id, key: rule.key, shared: rule.tenant_id === OPERATOR_TENANT };
}

/** Lists the newest revision of each rule, or the one in force at `at`. */
export async function listRules(
  deps: ReadRuleDeps,
  context: RequestContext,
  query: RuleQuery,
): Promise<Page<ShownRevision>> {
  const rows = await deps.rules(authorise(context, 'rules:read')).list(query);
  const page = pageOf(rows, query.limit, ({ created_at, rule_id }) => ({ atMs: created_at.getTime(), id: rule_id }));
  return {
    items: page.items.map((rule) => shownRevision(rule, chosen(rule, query.at))),
    next_cursor: page.next_cursor,
  };
}

/** @returns null alike for a missing rule and another tenant's. */
export async function getRule(
  deps: ReadRuleDeps,
  context: RequestContext,
  ruleId: string,
): Promise<ShownRevision | null> {
  const rule = await found(deps, context, ruleId);
  return rule === null ? null : shownRevision(rule, chosen(rule, undefined));
}

export async function getRuleRevision(
  deps: ReadRuleDeps,
  context: RequestContext,
  { ruleId, revision }: { readonly ruleId: string; readonly revision: number },
): Promise<ShownRevision | null> {
  const rule = await found(deps, context, ruleId);
  const one = rule?.revisions[revision - 1];
  return rule === null || one === undefined ? null : shownRevision(rule, one);
}

/** Lists all revisions of a rule, newest first. @returns null if there is no such rule. */
export async function listRuleRevisions(
  deps: ReadRuleDeps,
  context: RequestContext,
  { ruleId, limit, cursor }: { readonly ruleId: string; readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<ShownRevision> | null> {
  const rule = await found(deps, context, ruleId);
  if (rule === null) return null;
  // Revisions are only appended, so the number of a revision is its position.
  const before = cursor === undefined ? Number.POSITIVE_INFINITY : decodeCursor(cursor).atMs;
  const rest = rule.revisions.filter(({ revision }) => revision < before).reverse();
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const next = rest.length > limit && last !== undefined ? encodeCursor({ atMs: last.revision, id: ruleId }) : null;
  return { items: items.map((revision) => shownRevision(rule, revision)), next_cursor: next };
}

async function found(deps: ReadRuleDeps, context: RequestContext, ruleId: string): Promise<StoredRule | null> {
  const tenantId = authorise(context, 'rules:read');
  return isIdOf('rule', ruleId) ? deps.rules(tenantId).get(ruleId) : null;
}

function chosen(rule: StoredRule, at: Date | undefined): StoredRevision {
  const number = at === undefined ? null : revisionAt(periodsOf(rule.revisions) ?? [], at);
  const revision = rule.revisions.find((one) => one.revision === number) ?? rule.revisions.at(-1);
  if (revision === undefined) throw new Error('a rule without a revision');
  return revision;
}

/** Returns rules with the codes of their newest revision, without code families. */
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

/** The rules in force, read from the store. */
export const ruleBookOver = (rules: RuleStore): RuleBook => ({
  async inForce(tenantId, query) {
    const found = await rules(tenantId).withCodes(query.codes, query.kinds);
    const inForce = found.flatMap((rule) => revisionInForce(rule, query.at));
    const own = new Set(inForce.filter(({ shared }) => !shared).map(({ key }) => key));
    const sharedKeys = inForce.filter(({ shared, key }) => shared && !own.has(key)).map(({ key }) => key);
    for (const key of await overridden(rules, tenantId, sharedKeys, query.at)) own.add(key);
    return inForce
      .filter(({ shared, key }) => !shared || !own.has(key))
      .filter((rule) => appliesIn(rule, query))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  },
});

/** Returns the rules in force for an event: at its effective time, in its program and jurisdiction. */
export async function rulesForEvent(
  ruleBook: RuleBook,
  tenantId: TenantId,
  event: LedgerEventView,
  { codes, kinds }: Required<Pick<RulesInForceQuery, 'codes' | 'kinds'>>,
): Promise<readonly RuleRevision[]> {
  if (codes.length === 0) return [];
  const { program, jurisdiction } = eventCodes(event);
  const at = new Date(event.effective_at ?? event.recorded_at);
  return ruleBook.inForce(tenantId, { codes, kinds, at, program, jurisdiction });
}

/** Returns the keys of shared rules that a rule of the tenant with other codes or another kind replaces. */
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

function revisionInForce(rule: StoredRule, at: Date): readonly RuleRevision[] {
  const number = revisionAt(periodsOf(rule.revisions) ?? [], at);
  const revision = rule.revisions.find((one) => one.revision === number);
  return revision === undefined ? [] : [shownRevision(rule, revision)];
}
