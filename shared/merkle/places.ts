// Where the nodes of a tree are. Sizes and indexes are safe integers (below 2^53), so arithmetic, not bit operations,
// which in JavaScript end at 32 bits.

/** A perfect subtree of 2^level leaves: the `index`-th of its level. */
export interface NodePlace {
  readonly level: number;
  readonly index: number;
}

/** @throws RangeError for an invalid tree size. */
export function assertTreeSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError('a tree size is a whole number from 0 on');
}

/** The largest power of two below `size`, for a size of 2 or more: where RFC 6962 divides a tree. */
export function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/**
 * The perfect subtrees that make up the leaves [start, end), larger ones first; `start` is the beginning of a subtree of
 * RFC 6962, as every range is that the algorithms below divide off.
 */
export function coverOf(start: number, end: number): NodePlace[] {
  const places: NodePlace[] = [];
  for (let at = start; at < end; ) {
    let level = 0;
    let width = 1;
    while (width * 2 <= end - at) {
      width *= 2;
      level++;
    }
    places.push({ level, index: at / width });
    at += width;
  }
  return places;
}
