import type { Truth } from '../criteria/compare.js';

// A guideline of one programme says nothing of another: whether the cover is of its programme is a criterion like any.

/** Programmes that must cover preventive services without cost share (42 U.S.C. 300gg-13); Medicaid in part, Medicare by its own law. */
const PREVENTIVE: Readonly<Partial<Record<string, Truth>>> = {
  commercial: true,
  marketplace: true,
  erisa: true,
  medicaid: null,
};

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether cover under `stated` is of the guideline's programme: `Medicare` holds `MEDICARE_ADVANTAGE`. Null: unknown. */
export function isOfProgram(guideline: string, stated: string | null): Truth {
  const words = wordsOf(stated ?? '');
  const [first] = words;
  if (first === undefined || first === 'other' || first === 'unknown') return null;
  if (wordsOf(guideline)[0] !== 'preventive') return wordsOf(guideline).every((word, i) => words[i] === word);
  return Object.hasOwn(PREVENTIVE, first) ? (PREVENTIVE[first] ?? null) : false;
}
