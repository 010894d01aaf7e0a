import { namesOfCode } from '../../codes/domain/index.js';
import { type Dated, type Period, periodsOf } from './in-force.js';
import type { RuleKind } from './kinds.js';

/** The members of a revision that lists look at. */
interface ListedRevision extends Dated {
  readonly kind: RuleKind;
  readonly program: string | null;
  readonly jurisdiction: string | null;
  readonly codes: readonly string[];
}

/** Members of a stored rule that lists query; they follow from its revisions. */
export interface RuleColumns extends Omit<ListedRevision, 'codes' | keyof Dated> {
  readonly index_codes: readonly string[];
  readonly periods: readonly Period[];
}

/** @throws RangeError without a revision, or if two are in force at one time */
export function ruleColumns(revisions: readonly ListedRevision[]): RuleColumns {
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

interface Conditions {
  readonly where: {
    readonly [Name in (typeof EQUAL)[number] | 'code']?: string | undefined;
  } & { readonly shared?: boolean | undefined };
  /** Only rules with a revision in force at that time. */
  readonly at?: Date | undefined;
}

/** True if a tenant's own rule meets the conditions of a list. */
export function meetsConditions(rule: RuleColumns & { readonly key: string }, { where, at }: Conditions): boolean {
  const { code, shared } = where;
  if (shared === true) return false;
  if (!EQUAL.every((name) => where[name] === undefined || where[name] === rule[name])) return false;
  if (code !== undefined && !namesOfCode(code).some((name) => rule.index_codes.includes(name))) return false;
  return at === undefined || rule.periods.some(({ from, to }) => from <= at && (to === null || to > at));
}
