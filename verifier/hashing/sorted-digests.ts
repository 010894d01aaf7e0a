import { DIGEST_BYTES } from './sha256-block.js';

/** A number holds 32 bits beside an index below this. */
const INDEXES = 2 ** 21;

/** Of so few, as nearly every record has, sorting in place is sooner done than a call of the platform's. */
const FEW = 64;
const FEW_PLACES = new Float64Array(FEW);

/** Where the digests begin, in the order of their bytes. Good until the next call. */
export function sortedDigests(digests: Uint8Array, count: number): Float64Array {
  if (count > INDEXES) throw new RangeError('a record has too many leaves');
  const few = count <= FEW;
  const order = few ? FEW_PLACES.subarray(0, count) : new Float64Array(count);
  // Beginning and index as one number: numbers are sorted without a call for each comparison.
  for (let i = 0; i < count; i++) {
    const key = beginningAt(digests, i * DIGEST_BYTES) * INDEXES + i;
    let place = i;
    if (few) for (; place > 0 && (order[place - 1] as number) > key; place--) order[place] = order[place - 1] as number;
    order[place] = key;
  }
  if (!few) order.sort();
  let before = -1;
  for (let i = 0; i < count; i++) {
    const key = order[i] as number;
    const beginning = Math.floor(key / INDEXES);
    order[i] = (key - beginning * INDEXES) * DIGEST_BYTES;
    if (beginning === before) sink(digests, order, i);
    before = beginning;
  }
  return order;
}

/** The first 32 bits. */
const beginningAt = (digests: Uint8Array, at: number): number =>
  (digests[at] as number) * 2 ** 24 +
  (((digests[at + 1] as number) << 16) | ((digests[at + 2] as number) << 8) | (digests[at + 3] as number));

/** Puts the digest at `place` before those of equal beginning that it precedes. */
function sink(digests: Uint8Array, order: Float64Array, place: number): void {
  const start = order[place] as number;
  let to = place;
  for (; to > 0 && compareDigests(digests, start, order[to - 1] as number) < 0; to--)
    order[to] = order[to - 1] as number;
  order[to] = start;
}

function compareDigests(digests: Uint8Array, a: number, b: number): number {
  for (let i = 0; i < DIGEST_BYTES; i++) {
    const difference = (digests[a + i] as number) - (digests[b + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
