// Senders number what they send (X12 ISA13 and GS06, HL7 MSH-10). Where the numbers are numeric and go up by one, a number
// left out is a message that never came, and one that comes twice in other bytes is two messages under one name.

/** Which header carries the number. */
export type ControlLevel = 'interchange' | 'group' | 'message';

/** One number as it came: the raw body tells a repeat from the same bytes sent again. */
export interface SeenNumber {
  readonly number: number;
  readonly raw_sha256: string;
}

export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** Numbers that are still missing, and the gap that they were first told as: an exception stands under that name. */
export interface MissingNumbers extends NumberRange {
  readonly gap: NumberRange;
}

/** What is known of one sender's numbers at one level. */
export interface NumberState {
  readonly last: number;
  /** Left out and not come since, in order. */
  readonly missing: readonly MissingNumbers[];
  /** The latest numbers, oldest first. */
  readonly recent: readonly SeenNumber[];
  /** A number that fits nowhere: the first of a new numbering, if the next one follows it. */
  readonly candidate: number | null;
}

export type NumberFinding =
  | { readonly kind: 'GAP'; readonly expected: number; readonly found: number; readonly missing: NumberRange }
  | { readonly kind: 'REPEAT'; readonly expected: number; readonly found: number; readonly first_raw_sha256: string }
  /** Every number of an earlier gap has come after all. */
  | { readonly kind: 'FILLED'; readonly missing: NumberRange };

/** A step over more than this is a new numbering, not a loss: numbers made of dates or drawn at random are not judged. */
export const LONGEST_GAP = 1_000;
const REMEMBERED_NUMBERS = 200;
const REMEMBERED_GAPS = 100;

/** Where each level's numbers end and begin again; X12 control numbers have nine digits. */
const HIGHEST: Readonly<Record<ControlLevel, number>> = {
  interchange: 999_999_999,
  group: 999_999_999,
  message: Number.MAX_SAFE_INTEGER,
};

/** The number, or null: a control number that is not numeric says nothing about the ones before it. */
export function numberOf(text: string): number | null {
  const trimmed = text.trim();
  if (!/^\d{1,15}$/.test(trimmed)) return null;
  return Number(trimmed);
}

const begun = (seen: SeenNumber): NumberState => ({
  last: seen.number,
  missing: [],
  recent: [seen],
  candidate: null,
});

export interface Judged {
  readonly state: NumberState;
  readonly finding: NumberFinding | null;
}

/** The state after one more number, and what is wrong with it. */
export function judgeNumber(state: NumberState | null, level: ControlLevel, seen: SeenNumber): Judged {
  if (state === null) return { state: begun(seen), finding: null };
  const same = state.recent.findLast(({ number }) => number === seen.number);
  // The same bytes sent again, or the same request run again after a crash.
  if (same?.raw_sha256 === seen.raw_sha256) return { state, finding: null };
  // Many senders number groups anew in every interchange.
  if (level === 'group' && seen.number <= 1) return { state: begun(seen), finding: null };
  const expected = state.last >= HIGHEST[level] ? 1 : state.last + 1;
  const step = seen.number - expected;
  if (step === 0) return { state: moved(state, seen), finding: null };
  if (step > 0 && step <= LONGEST_GAP) {
    const missing = { from: expected, to: seen.number - 1 };
    const finding = { kind: 'GAP', expected, found: seen.number, missing } as const;
    return { state: moved(state, seen, missing), finding };
  }
  if (step < 0 && isMissing(state, seen.number)) return filled(state, seen);
  if (same) {
    const finding = { kind: 'REPEAT', expected, found: seen.number, first_raw_sha256: same.raw_sha256 } as const;
    return { state: { ...state, recent: remembered(state, seen) }, finding };
  }
  if (state.candidate !== null && seen.number === state.candidate + 1) return { state: begun(seen), finding: null };
  return { state: { ...state, candidate: seen.number }, finding: null };
}

const remembered = (state: NumberState, seen: SeenNumber): SeenNumber[] =>
  [...state.recent, seen].slice(-REMEMBERED_NUMBERS);

const moved = (state: NumberState, seen: SeenNumber, gap?: NumberRange): NumberState => ({
  last: seen.number,
  missing: (gap ? [...state.missing, { ...gap, gap }] : state.missing).slice(-REMEMBERED_GAPS),
  recent: remembered(state, seen),
  candidate: null,
});

const holds = ({ from, to }: NumberRange, number: number): boolean => from <= number && number <= to;

const isMissing = (state: NumberState, number: number): boolean => state.missing.some((range) => holds(range, number));

/** A number that came late. */
function filled(state: NumberState, seen: SeenNumber): Judged {
  const gap = state.missing.find((range) => holds(range, seen.number))?.gap;
  const missing = state.missing.flatMap((range) => without(range, seen.number));
  const isOpen = missing.some((range) => range.gap.from === gap?.from && range.gap.to === gap.to);
  return {
    state: { ...state, missing, recent: remembered(state, seen) },
    finding: gap === undefined || isOpen ? null : { kind: 'FILLED', missing: gap },
  };
}

function without(range: MissingNumbers, number: number): MissingNumbers[] {
  if (!holds(range, number)) return [range];
  return [
    ...(range.from < number ? [{ ...range, to: number - 1 }] : []),
    ...(number < range.to ? [{ ...range, from: number + 1 }] : []),
  ];
}
