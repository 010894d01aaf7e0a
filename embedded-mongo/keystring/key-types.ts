import type { RawRef } from '../bson/raw.js';
import { T } from '../bson/value.js';

/** Values that share keys: one bit for each kind that an index field has ever held. */
export const HELD = {
  missing: 1,
  null: 2,
  string: 4,
  symbol: 8,
  int32: 16,
  int64: 32,
  double: 64,
  /** NaN, -0 and decimals: the key alone does not give their bytes. */
  otherNumber: 128,
} as const;

/**
 * The types behind the keys of an index. Keys order values, so 5 and 5.0 share a key, as do null and missing. Where a
 * field has only ever held one of them, the key determines the value. Kinds are only added.
 */
export class KeyTypes {
  readonly masks: number[];
  /** Whether a kind was added since the catalog last saved the index. */
  unsaved = false;

  constructor(fields: number, seen: readonly number[]) {
    this.masks = Array.from({ length: fields }, (_, field) => seen[field] ?? 0);
  }

  note(refs: readonly (RawRef | undefined)[]): void {
    for (let field = 0; field < refs.length; field++) {
      const sort = sortOf(refs[field]);
      const mask = this.masks[field] ?? 0;
      if ((mask & sort) === sort) continue;
      this.masks[field] = mask | sort;
      this.unsaved = true;
    }
  }
}

/** The bit of a value; 0 for types that share no key. */
function sortOf(ref: RawRef | undefined): number {
  if (ref === undefined) return HELD.missing;
  switch (ref.type) {
    case T.string:
      return HELD.string;
    case T.int32:
      return HELD.int32;
    case T.int64:
      return HELD.int64;
    case T.double: {
      const value = ref.buffer.readDoubleLE(ref.start);
      return Number.isNaN(value) || Object.is(value, -0) ? HELD.otherNumber : HELD.double;
    }
    case T.decimal:
      return HELD.otherNumber;
    case T.null:
      return HELD.null;
    case T.symbol:
      return HELD.symbol;
    default:
      return 0;
  }
}
