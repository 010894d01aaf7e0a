import { namesOfCode } from '../codes/domain/index.js';
import { type Period, periodsOf } from './domain/in-force.js';
import type { RuleKind } from './domain/kinds.js';
import type { RuleQuery, StoredRevision, StoredRule } from './ports.js';

/** Members of a stored rule that lists query; they follow from its revisions. */
export interface RuleColumns {
  readonly kind: RuleKind;
  readonly program: string | null;
  readonly jurisdiction: string | null;
  readonly index_codes: readonly string[];
  readonly periods: readonly Period[];
}

/** @throws RangeError without a revision, or if two are in force at one time */
export function ruleColumns(revisions: readonly StoredRevision[]): RuleColumns {
  const newest = revisions.at(-1);
  const periods = periodsOf(revisions);
  if (newest === undefined || periods === null) throw new RangeError('no revision, or two in force');
  return {
    kind: newest.kind,
    program: newest.program,
    jurisdiction: newest.jurisdiction,
    index_codes: [...new Set(revisions.flatMap(({ codes }) => codes))],
    periods,
  };
}

/** Conditions that a member of the rule equals. */
const EQUAL = ['key', 'kind', 'program', 'jurisdiction'] as const;

/** True if a tenant's own rule meets the conditions of a list. */
export function meetsConditions(
  rule: Pick<StoredRule, 'key'> & RuleColumns,
  { where, at }: Pick<RuleQuery, 'where' | 'at'>,
): boolean {
  const { code, shared } = where;
  if (shared === true) return false;
  if (!EQUAL.every((name) => where[name] === undefined || where[name] === rule[name])) return false;
  if (code !== undefined && !namesOfCode(code).some((name) => rule.index_codes.includes(name))) return false;
  return at === undefined || rule.periods.some(({ from, to }) => from <= at && (to === null || to > at));
}
