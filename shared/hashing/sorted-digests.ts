import { DIGEST_BYTES } from './sha256-block.js';

/** A double holds 32 bits and an index below this limit. */
const INDEXES = 2 ** 21;

/** Up to this number, which covers nearly every record, insertion sort is faster than the platform's sort. */
const FEW = 64;
const FEW_PLACES = new Float64Array(FEW);

/** Returns the offsets of the digests in the order of their bytes; valid until the next call. */
export function sortedDigests(digests: Uint8Array, count: number): Float64Array {
  if (count > INDEXES) throw new RangeError('a record has too many leaves');
  const few = count <= FEW;
  const order = few ? FEW_PLACES.subarray(0, count) : new Float64Array(count);
  // Prefix and index form one number, because numbers sort without a comparison callback.
  for (let i = 0; i < count; i++) {
    const key = beginningAt(digests, i * DIGEST_BYTES) * INDEXES + i;
    let place = i;
    if (few) for (; place > 0 && (order[place - 1] ?? 0) > key; place--) order[place] = order[place - 1] ?? 0;
    order[place] = key;
  }
  if (!few) order.sort();
  let before = -1;
  for (let i = 0; i < count; i++) {
    const key = order[i] ?? 0;
    const beginning = Math.floor(key / INDEXES);
    order[i] = (key - beginning * INDEXES) * DIGEST_BYTES;
    if (beginning === before) sink(digests, order, i);
    before = beginning;
  }
  return order;
}

/** The first 32 bits. */
const beginningAt = (digests: Uint8Array, at: number): number =>
  (digests[at] ?? 0) * 2 ** 24 +
  (((digests[at + 1] ?? 0) << 16) | ((digests[at + 2] ?? 0) << 8) | (digests[at + 3] ?? 0));

/** Moves the digest at `place` before the digests of equal prefix that it precedes. */
function sink(digests: Uint8Array, order: Float64Array, place: number): void {
  const start = order[place] ?? 0;
  let to = place;
  for (; to > 0 && compareDigests(digests, start, order[to - 1] ?? 0) < 0; to--) order[to] = order[to - 1] ?? 0;
  order[to] = start;
}

function compareDigests(digests: Uint8Array, a: number, b: number): number {
  for (let i = 0; i < DIGEST_BYTES; i++) {
    const difference = (digests[a + i] ?? 0) - (digests[b + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
