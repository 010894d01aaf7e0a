/**
 * Returns the Jaro–Winkler similarity, 0 to 1 (Winkler 1990: each letter of a common prefix, up to four, adds a tenth of the
 * missing similarity). Compares UTF-16 units of folded names.
 */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1;
  const jaro = jaroOf(a, b);
  let prefix = 0;
  while (prefix < 4 && prefix < a.length && a[prefix] === b[prefix]) prefix += 1;
  return jaro + prefix * 0.1 * (1 - jaro);
}

// A search compares thousands of pairs in sequence, so comparisons share these buffers.
let taken = new Uint8Array(64);
let met = new Uint16Array(64);
let rows: readonly [Int32Array, Int32Array, Int32Array] = [new Int32Array(65), new Int32Array(65), new Int32Array(65)];

function jaroOf(a: string, b: string): number {
  if (a.length === 0 || b.length === 0) return 0;
  if (b.length > taken.length) [taken, met] = [new Uint8Array(b.length), new Uint16Array(b.length)];
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  taken.fill(0, 0, b.length);
  let matched = 0;
  for (let i = 0; i < a.length; i++) {
    const letter = a.charCodeAt(i);
    const last = Math.min(b.length - 1, i + reach);
    for (let j = Math.max(0, i - reach); j <= last; j++) {
      if (taken[j] === 1 || letter !== b.charCodeAt(j)) continue;
      taken[j] = 1;
      met[matched++] = letter;
      break;
    }
  }
  if (matched === 0) return 0;
  let moved = 0;
  for (let j = 0, k = 0; j < b.length; j++) {
    if (taken[j] !== 1) continue;
    if (b.charCodeAt(j) !== met[k]) moved += 1;
    k += 1;
  }
  return (matched / a.length + matched / b.length + (matched - moved / 2) / matched) / 3;
}

/**
 * Returns the number of edits between two texts, where exchanged neighbours count once (Damerau; optimal string alignment).
 *
 * @returns at most `most + 1`
 */
export function edits(a: string, b: string, most: number): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > most) return most + 1;
  const width = b.length + 1;
  if (width > rows[0].length) rows = [new Int32Array(width), new Int32Array(width), new Int32Array(width)];
  let [before, last, row] = rows;
  for (let j = 0; j < width; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    row[0] = i;
    let least = i;
    const letter = a.charCodeAt(i - 1);
    for (let j = 1; j < width; j++) {
      const other = b.charCodeAt(j - 1);
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (letter === other ? 0 : 1));
      const isExchange = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other;
      if (isExchange) cost = Math.min(cost, at(before, j - 2) + 1);
      row[j] = cost;
      least = Math.min(least, cost);
    }
    // An exchange reaches back two rows, so one row over the limit does not decide.
    if (least > most + 1) return most + 1;
    [before, last, row] = [last, row, before];
  }
  return Math.min(at(last, b.length), most + 1);
}

const at = (row: Int32Array, index: number): number => row[index] ?? 0;

/** Further letters do not distinguish names better. */
const MOST_LETTERS = 64;
const inA = new Float64Array(MOST_LETTERS);
const inB = new Float64Array(MOST_LETTERS);

/** Returns the share of trigrams that two names have in common (Jaccard), with marked ends. */
export function trigramShare(a: string, b: string): number {
  const ofA = trigramsInto(inA, a);
  const ofB = trigramsInto(inB, b);
  let both = 0;
  for (let i = 0; i < ofA; i++) if (isAmong(inB, ofB, inA[i] ?? 0)) both += 1;
  const all = ofA + ofB - both;
  return all === 0 ? 0 : both / all;
}

/** Writes each trigram once, as a number. @returns the count */
function trigramsInto(found: Float64Array, text: string): number {
  const padded = `_${text.slice(0, MOST_LETTERS)}_`;
  let count = 0;
  for (let start = 0; start + 3 <= padded.length; start++) {
    const unit = (n: number): number => padded.charCodeAt(start + n);
    const trigram = (unit(0) * 65_536 + unit(1)) * 65_536 + unit(2);
    if (!isAmong(found, count, trigram)) found[count++] = trigram;
  }
  return count;
}

function isAmong(found: Float64Array, count: number, wanted: number): boolean {
  for (let i = 0; i < count; i++) if (found[i] === wanted) return true;
  return false;
}
