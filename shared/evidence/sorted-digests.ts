import { DIGEST_BYTES } from './sha256-block.js';

/** A number holds 32 bits beside an index below this. */
const INDEXES = 2 ** 21;

/** Indexes of the digests in the order of their bytes. */
export function sortedDigests(digests: DataView, count: number): Float64Array {
  if (count > INDEXES) throw new RangeError('an event has too many leaves');
  // First four bytes and index as one number: the platform sorts numbers without a call per comparison.
  const keys = new Float64Array(count);
  for (let i = 0; i < count; i++) keys[i] = digests.getUint32(i * DIGEST_BYTES) * INDEXES + i;
  keys.sort();
  let before = -1;
  for (let i = 0; i < count; i++) {
    const key = keys[i] as number;
    const prefix = Math.floor(key / INDEXES);
    keys[i] = key - prefix * INDEXES;
    if (prefix === before) sink(digests, keys, i);
    before = prefix;
  }
  return keys;
}

/** Puts the index at `place` before those of equal beginning that it precedes. */
function sink(digests: DataView, order: Float64Array, place: number): void {
  const index = order[place] as number;
  let to = place;
  for (; to > 0 && compareDigests(digests, index, order[to - 1] as number) < 0; to--)
    order[to] = order[to - 1] as number;
  order[to] = index;
}

function compareDigests(digests: DataView, a: number, b: number): number {
  for (let i = 0; i < DIGEST_BYTES; i += 4) {
    const difference = digests.getUint32(a * DIGEST_BYTES + i) - digests.getUint32(b * DIGEST_BYTES + i);
    if (difference !== 0) return difference;
  }
  return 0;
}
