/**
 * Jaro–Winkler similarity, 0 to 1 (Winkler 1990: a common beginning of up to four letters counts a tenth of what is missing,
 * each). Compares UTF-16 units: names are folded before they come here.
 */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1;
  const jaro = jaroOf(a, b);
  let prefix = 0;
  while (prefix < 4 && prefix < a.length && a[prefix] === b[prefix]) prefix += 1;
  return jaro + prefix * 0.1 * (1 - jaro);
}

function jaroOf(a: string, b: string): number {
  if (a.length === 0 || b.length === 0) return 0;
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const taken = new Uint8Array(b.length);
  let fromA = '';
  for (let i = 0; i < a.length; i++) {
    const last = Math.min(b.length - 1, i + reach);
    for (let j = Math.max(0, i - reach); j <= last; j++) {
      if (taken[j] === 1 || a[i] !== b[j]) continue;
      taken[j] = 1;
      fromA += a[i];
      break;
    }
  }
  const matched = fromA.length;
  if (matched === 0) return 0;
  let moved = 0;
  for (let j = 0, k = 0; j < b.length; j++) {
    if (taken[j] !== 1) continue;
    if (b[j] !== fromA[k]) moved += 1;
    k += 1;
  }
  return (matched / a.length + matched / b.length + (matched - moved / 2) / matched) / 3;
}

/**
 * Edits between two texts, two neighbours exchanged being one (Damerau; optimal string alignment). What is over `most` is
 * told as `most + 1`.
 */
export function edits(a: string, b: string, most: number): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(before, j - 2) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    // An exchange reaches back two rows, so that one row over the limit decides nothing yet.
    if (least > most + 1) return most + 1;
    before = last;
    last = row;
  }
  return Math.min(at(last, b.length), most + 1);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;

/** Shares of three letters that two names have in common (Jaccard), their ends marked. */
export function trigramShare(a: string, b: string): number {
  const inA = trigrams(a);
  const inB = trigrams(b);
  let both = 0;
  for (const each of inA) if (inB.has(each)) both += 1;
  const all = inA.size + inB.size - both;
  return all === 0 ? 0 : both / all;
}

function trigrams(text: string): Set<string> {
  const padded = `_${text}_`;
  const found = new Set<string>();
  for (let start = 0; start + 3 <= padded.length; start++) found.add(padded.slice(start, start + 3));
  return found;
}
