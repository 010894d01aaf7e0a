/** Longer names are not compared: a distance costs the product of both lengths. */
const MAX_NAME_LENGTH = 64;
const MAX_LETTERS = 3;

/**
 * Returns the known name that a mistyped one most likely means.
 *
 * @returns undefined if none is near: at most a third of the longer name may differ, and at most 3 letters
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const folded = fold(name);
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    if (candidate === name || candidate.length > MAX_NAME_LENGTH) continue;
    const other = fold(candidate);
    const distance = distanceOf(folded, other);
    const allowed = Math.min(MAX_LETTERS, Math.floor(Math.max(folded.length, other.length) / 3));
    if (distance <= allowed && distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** `memberId`, `member-id` and `MEMBER_ID` are spellings of one name. */
const fold = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Optimal string alignment: insertions, deletions, substitutions, and swaps of neighbours. */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const edits = [at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + cost];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits.push(at(before, j - 2) + 1);
      next.push(Math.min(...edits));
    }
    [before, row] = [row, next];
  }
  return at(row, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;
