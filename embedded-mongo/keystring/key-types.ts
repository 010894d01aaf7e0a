import type { RawRef } from '../bson/raw.js';
import { T } from '../bson/types.js';

/** Values that share keys: what one index field has ever held of each sort, one bit a sort. */
export const held = {
  missing: 1,
  null: 2,
  string: 4,
  symbol: 8,
  int32: 16,
  int64: 32,
  double: 64,
  /** NaN, -0 and decimals, whose bytes the key does not tell. */
  otherNumber: 128,
} as const;

/**
 * Which types the keys of an index stand for. Keys are the order of values, so 5 and 5.0, null and missing share one;
 * where a field never held but one of them, its keys tell the value after all. Sorts are only ever added.
 */
export class KeyTypes {
  readonly masks: number[];
  /** Something was added since the index was last written to the catalog. */
  unsaved = false;

  constructor(fields: number, seen: readonly number[]) {
    this.masks = Array.from({ length: fields }, (_, field) => seen[field] ?? 0);
  }

  note(refs: readonly (RawRef | undefined)[]): void {
    for (let field = 0; field < refs.length; field++) {
      const sort = sortOf(refs[field]);
      const mask = this.masks[field] as number;
      if ((mask & sort) === sort) continue;
      this.masks[field] = mask | sort;
      this.unsaved = true;
    }
  }
}

/** The bit of a value; 0 for types whose keys are theirs alone. */
function sortOf(ref: RawRef | undefined): number {
  if (ref === undefined) return held.missing;
  switch (ref.type) {
    case T.string:
      return held.string;
    case T.int32:
      return held.int32;
    case T.int64:
      return held.int64;
    case T.double: {
      const value = ref.buffer.readDoubleLE(ref.start);
      return Number.isNaN(value) || Object.is(value, -0) ? held.otherNumber : held.double;
    }
    case T.decimal:
      return held.otherNumber;
    case T.null:
      return held.null;
    case T.symbol:
      return held.symbol;
    default:
      return 0;
  }
}
