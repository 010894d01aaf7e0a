import { DIGEST_BYTES } from './sha256-block.js';

/** A number holds 32 bits beside an index below this. */
const INDEXES = 2 ** 21;

/** Where the digests begin, in the order of their bytes. */
export function sortedDigests(digests: Uint8Array, count: number): Float64Array {
  if (count > INDEXES) throw new RangeError('a record has too many leaves');
  const view = new DataView(digests.buffer, digests.byteOffset, digests.byteLength);
  // Beginning and index as one number: numbers are sorted without a call for each comparison.
  const order = new Float64Array(count);
  for (let i = 0; i < count; i++) order[i] = view.getUint32(i * DIGEST_BYTES) * INDEXES + i;
  order.sort();
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
