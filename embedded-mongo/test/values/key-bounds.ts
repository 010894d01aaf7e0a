import { Double } from 'bson';
import { isNumber } from '../../bson/number.js';
import type { BsonValue } from '../../bson/value.js';
import { afterPrefix, type Direction, encodeKey, typePrefix } from '../../keystring/encode.js';

/** One side of a range over the field after the prefix. */
interface RangeEnd {
  readonly value: BsonValue;
  readonly inclusive: boolean;
}

/** NaN has the lowest number key, but no comparison with a number is true of it. */
const BELOW_ALL_NUMBERS: RangeEnd = { value: new Double(Number.NEGATIVE_INFINITY), inclusive: true };

/**
 * Bounds of "these leading fields equal, the next within a range" on a compound key. Without an end the range stops
 * at the type's own limits, as comparison operators never leave the type of their operand.
 */
export function keyBounds(
  equal: readonly (BsonValue | undefined)[],
  directions: readonly Direction[],
  range?: { readonly from?: RangeEnd; readonly to?: RangeEnd },
): { lower: Buffer; upper: Buffer } {
  const prefix = encodeKey(equal, directions);
  const anchor = range?.from?.value ?? range?.to?.value;
  if (anchor === undefined) return { lower: prefix, upper: afterPrefix(prefix) };
  const descending = (directions[equal.length] ?? 1) < 0;
  const from = range?.from ?? (isNumber(anchor) ? BELOW_ALL_NUMBERS : undefined);
  const low = descending ? range?.to : from;
  const high = descending ? from : range?.to;
  const direction: Direction = descending ? -1 : 1;
  const bracket = typePrefix(anchor, direction);
  const lowBody = low ? edge(encodeKey([low.value], [direction]), !low.inclusive) : bracket;
  const highBody = high ? edge(encodeKey([high.value], [direction]), high.inclusive) : afterPrefix(bracket);
  return { lower: Buffer.concat([prefix, lowBody]), upper: Buffer.concat([prefix, highBody]) };
}

/** Bounds of "these leading fields equal, the next a string that begins with `text`". */
export function prefixBounds(
  equal: readonly (BsonValue | undefined)[],
  directions: readonly Direction[],
  text: string,
): { lower: Buffer; upper: Buffer } {
  const key = encodeKey([...equal, text], directions);
  // Without its end mark the key is the beginning of every key of a longer string too.
  const lower = key.subarray(0, key.length - 1);
  return { lower, upper: afterPrefix(lower) };
}

function edge(key: Buffer, after: boolean): Buffer {
  return after ? afterPrefix(key) : key;
}
