/** Where a rule applies; null is everywhere. */
interface Reach {
  readonly program: string | null;
  readonly jurisdiction: string | null;
}

/**
 * Whether a rule applies to what is asked. A rule for a wider program or place holds for the narrower one: `Medicare` for
 * `MEDICARE_ADVANTAGE`, `US` for `US-CA`. What the asker does not know excludes nothing.
 */
export function appliesIn(rule: Reach, asked: Reach): boolean {
  const program = isOfPayers(rule.program) ? rule.program : null;
  return isWithin(asked.program, program) && isWithin(asked.jurisdiction, rule.jurisdiction);
}

/** First words of programs by who pays. A program that is named otherwise (preventive services) is none's alone. */
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
