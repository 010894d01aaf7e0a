import { Decimal128, Double, Int32, Long } from 'bson';
import type { BsonValue } from '../bson/value.js';

/** The JS number of a BSON number (int64 beyond 2^53 loses precision); undefined for every other type. */
export function asNumber(value: BsonValue | undefined): number | undefined {
  if (value instanceof Int32 || value instanceof Double) return value.value;
  if (value instanceof Long) return value.toNumber();
  if (value instanceof Decimal128) return Number(value.toString());
  return undefined;
}

/** Truth as command arguments have it: `true` or a number other than zero. */
export function isTrue(value: BsonValue | undefined): boolean {
  if (typeof value === 'boolean') return value;
  const number = asNumber(value);
  return number !== undefined && number !== 0;
}
