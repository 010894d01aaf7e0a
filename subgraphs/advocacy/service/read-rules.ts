import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { OPERATOR_TENANT } from '../../../shared/ids/tenant.js';
import { decodeCursor, encodeCursor, type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { periodsOf, revisionAt } from '../domain/rules/rule-periods.js';
import type { RuleRevision } from './ports/rule-book.js';
import type { RuleQuery, RuleStore, StoredRevision, StoredRule } from './ports/rule-store.js';

export interface ReadRuleDeps {
  readonly rules: RuleStore;
}

/** A revision as it is shown. */
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

/** The newest revision of each rule, or the one in force at `at`. */
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

/** Null for a rule that is not there and for another tenant's: the two must not differ. */
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

/** All revisions of a rule, newest first. Null where there is no such rule. */
export async function listRuleRevisions(
  deps: ReadRuleDeps,
  context: RequestContext,
  { ruleId, limit, cursor }: { readonly ruleId: string; readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<ShownRevision> | null> {
  const rule = await found(deps, context, ruleId);
  if (rule === null) return null;
  // A revision's number is its place: they are never fewer, and none comes between.
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
