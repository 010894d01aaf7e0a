// Blocks of a chain with stored tallies: 1,000 entries, then ten blocks as one, and so on. Blocks of a size are aligned
// from sequence 1, so that two processes store the same block.

export const BLOCK_ENTRIES = 1_000;
const MERGE_FACTOR = 10;
/** Four sizes: a chain of a million entries is one block, one of ten million is ten. */
const BLOCK_SIZES: readonly number[] = [1, MERGE_FACTOR, MERGE_FACTOR ** 2, MERGE_FACTOR ** 3].map(
  (blocks) => blocks * BLOCK_ENTRIES,
);

/** Tallies of more cells are not merged: the document would be too large and save nothing. */
export const MAX_MERGED_CELLS = 50_000;

export interface BlockPlace {
  readonly from_seq: number;
  readonly size: number;
}

export const lastOf = ({ from_seq, size }: BlockPlace): number => from_seq + size - 1;

/**
 * Splits blocks into those that cover the chain from its start without overlap, the largest first at each place, and
 * the rest.
 */
export function coverOf<B extends BlockPlace>(blocks: readonly B[]): { readonly cover: B[]; readonly covered: B[] } {
  const sorted = [...blocks].sort((a, b) => a.from_seq - b.from_seq || b.size - a.size);
  const cover: B[] = [];
  const covered: B[] = [];
  let next = 1;
  for (const block of sorted) {
    if (block.from_seq < next) covered.push(block);
    else {
      cover.push(block);
      next = lastOf(block) + 1;
    }
  }
  return { cover, covered };
}

/** Returns the gaps between the blocks of a cover, up to its end. */
export function gapsOf(cover: readonly BlockPlace[]): { readonly from: number; readonly to: number }[] {
  const gaps: { from: number; to: number }[] = [];
  let next = 1;
  for (const block of cover) {
    if (block.from_seq > next) gaps.push({ from: next, to: block.from_seq - 1 });
    next = lastOf(block) + 1;
  }
  return gaps;
}

export const endOf = (cover: readonly BlockPlace[]): number => {
  const last = cover.at(-1);
  return last ? lastOf(last) : 0;
};

/** Returns ten adjacent blocks that make one of the next size. */
interface Merge<B extends BlockPlace> extends BlockPlace {
  readonly parts: readonly B[];
}

export function mergesOf<B extends BlockPlace>(cover: readonly B[]): Merge<B>[] {
  const merges: Merge<B>[] = [];
  for (const size of BLOCK_SIZES.slice(0, -1)) {
    const whole = size * MERGE_FACTOR;
    for (let at = 0; at + MERGE_FACTOR <= cover.length; at++) {
      const parts = cover.slice(at, at + MERGE_FACTOR);
      const [first] = parts;
      if (!first || first.size !== size || (first.from_seq - 1) % whole !== 0) continue;
      const complete = parts.every((part, i) => part.size === size && part.from_seq === first.from_seq + i * size);
      if (complete) merges.push({ from_seq: first.from_seq, size: whole, parts });
    }
  }
  return merges;
}
