// At any moment at most one revision of a rule is in force: from `effective_from` until `effective_to`, or, without an end,
// until another revision begins. A later revision with the same start replaces the earlier one. A revision that overlaps
// another's stated period is rejected, because two revisions would be in force.

/** The dates of a revision. */
export interface Dated {
  readonly revision: number;
  readonly effective_from: Date;
  readonly effective_to: Date | null;
}

/** `from` ≤ t < `to`. */
export interface Period {
  readonly revision: number;
  readonly from: Date;
  readonly to: Date | null;
}

/** Returns the periods of all revisions by time, or null if two of them overlap. */
export function periodsOf(revisions: readonly Dated[]): readonly Period[] | null {
  const current = new Map<number, Dated>();
  for (const dated of [...revisions].sort((a, b) => a.revision - b.revision)) {
    current.set(dated.effective_from.getTime(), dated);
  }
  const byTime = [...current.values()].sort((a, b) => a.effective_from.getTime() - b.effective_from.getTime());
  const periods: Period[] = [];
  for (const [i, { revision, effective_from: from, effective_to }] of byTime.entries()) {
    const next = byTime[i + 1]?.effective_from ?? null;
    if (effective_to !== null && next !== null && effective_to > next) return null;
    periods.push({ revision, from, to: effective_to ?? next });
  }
  return periods;
}

/** Returns the number of the revision in force at a moment. */
export function revisionAt(periods: readonly Period[], at: Date): number | null {
  const found = periods.find(({ from, to }) => from <= at && (to === null || at < to));
  return found?.revision ?? null;
}

/** The program and jurisdiction of a rule; null is all of them. */
interface Scope {
  readonly program: string | null;
  readonly jurisdiction: string | null;
}

/**
 * Returns whether a rule applies. A rule for a wider program or place also applies to a narrower one: `Medicare` to
 * `MEDICARE_ADVANTAGE`, `US` to `US-CA`. An unknown program or place excludes no rule.
 */
export function appliesIn(rule: Scope, query: Scope): boolean {
  const program = isOfPayers(rule.program) ? rule.program : null;
  return isWithin(query.program, program) && isWithin(query.jurisdiction, rule.jurisdiction);
}

/** First words of programs that name a payer. A program with another name (preventive services) belongs to no payer. */
const PAYERS: ReadonlySet<string> = new Set([
  'medicare',
  'medicaid',
  'chip',
  'commercial',
  'erisa',
  'marketplace',
  'tricare',
  'va',
  'fehb',
]);

const isOfPayers = (program: string | null): boolean => PAYERS.has(wordsOf(program ?? '')[0] ?? '');

function isWithin(narrow: string | null, wide: string | null): boolean {
  if (narrow === null || wide === null) return true;
  const words = wordsOf(narrow);
  return wordsOf(wide).every((word, i) => words[i] === word);
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
