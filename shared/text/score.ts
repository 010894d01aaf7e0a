// Scores between 0 and 1 that can be compared between kinds of records and between pages: BM25's shape (saturation of
// repetition, rareness of terms, length), divided by what a perfect finding of the same terms would have. Nothing in it
// changes when other records come in, but the rareness, which a cursor therefore carries along.

/** How soon repetition stops to count, and how much length counts against a finding (BM25's k1 and b). */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.5;
/** A length that neither helps nor hurts. */
const USUAL_LENGTH = 60;
const DECIMALS = 1e6;

/** BM25's inverse document frequency: a term in half of all records counts little, a rare one much. */
export const rarenessOf = (found: number, total: number): number => {
  const all = Math.max(total, found);
  return Math.log(1 + (all - found + 0.5) / (found + 0.5));
};

interface FoundTerm {
  /** Occurrences, weighted. */
  readonly weight: number;
  readonly rareness: number;
}

/** Rounded, so that it survives being written into a cursor. */
export function scoreOf(terms: readonly FoundTerm[], length: number): number {
  const slowness = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / USUAL_LENGTH);
  let score = 0;
  let best = 0;
  for (const { weight, rareness } of terms) {
    score += (rareness * weight) / (weight + slowness);
    best += rareness;
  }
  return best === 0 ? 0 : Math.round((score / best) * DECIMALS) / DECIMALS;
}
