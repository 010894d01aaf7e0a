// Senders number their messages (X12 ISA13 and GS06, HL7 MSH-10). In a numeric sequence a missing number is a lost
// message, and a repeated number with other bytes is two messages under one name.

/** The header with the number. */
export type ControlLevel = 'interchange' | 'group' | 'message';

/** One number with the hash of its body, which distinguishes a reuse from a resend. */
interface SeenNumber {
  readonly number: number;
  readonly raw_sha256: string;
  /** Hash of the content under the number, in normal form; absent in numbers of earlier builds. */
  readonly content_sha256?: string;
}

interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** Missing numbers with the gap first reported, which names the exception. */
interface MissingNumbers extends NumberRange {
  readonly gap: NumberRange;
}

/** The state of one sender's numbers at one level. */
export interface NumberState {
  readonly last: number;
  /** Missing numbers, in order. */
  readonly missing: readonly MissingNumbers[];
  /** The latest numbers, oldest first. */
  readonly recent: readonly SeenNumber[];
  /** A number outside the sequence: the first of a new sequence if the next one follows it. */
  readonly candidate: number | null;
}

export type NumberFinding =
  | { readonly kind: 'GAP'; readonly expected: number; readonly found: number; readonly missing: NumberRange }
  | { readonly kind: 'REPEAT'; readonly expected: number; readonly found: number; readonly first_raw_sha256: string }
  /** Every number of an earlier gap has arrived. */
  | { readonly kind: 'FILLED'; readonly missing: NumberRange };

/** A larger step is a new sequence, not a loss: numbers from dates or random numbers are not checked. */
const LONGEST_GAP = 1_000;
const REMEMBERED_NUMBERS = 200;
const REMEMBERED_GAPS = 100;

/** Where each level's numbers wrap; X12 control numbers have nine digits. */
const HIGHEST: Readonly<Record<ControlLevel, number>> = {
  interchange: 999_999_999,
  group: 999_999_999,
  message: Number.MAX_SAFE_INTEGER,
};

/** The number, or null: a control number that is not numeric has no order. */
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

/** A retransmission comes in another body, with other line ends or behind other messages. */
const isSameContent = (a: SeenNumber, b: SeenNumber): boolean =>
  a.raw_sha256 === b.raw_sha256 || (a.content_sha256 !== undefined && a.content_sha256 === b.content_sha256);

interface Checked {
  readonly state: NumberState;
  readonly finding: NumberFinding | null;
}

/** The state after one more number, and the finding. */
export function checkNumber(state: NumberState | null, level: ControlLevel, seen: SeenNumber): Checked {
  if (state === null) return { state: begun(seen), finding: null };
  const same = state.recent.findLast(({ number }) => number === seen.number);
  // The same bytes again, or the same request after a crash.
  if (same !== undefined && isSameContent(same, seen)) return { state, finding: null };
  // Many senders restart group numbers in every interchange.
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

/** Handles a late number. */
function filled(state: NumberState, seen: SeenNumber): Checked {
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
