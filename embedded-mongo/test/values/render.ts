import { Decimal128, Double, Int32, Long } from 'bson';
import { BsonDate, type BsonValue, isDoc } from '../../bson/value.js';

/** Renders a value so that every type is distinct and fields keep their order. */
export function render(value: BsonValue): string {
  if (Array.isArray(value)) return `[${value.map(render).join(', ')}]`;
  if (isDoc(value)) return `{${[...value].map(([key, inner]) => `${key}: ${render(inner)}`).join(', ')}}`;
  if (value instanceof Int32) return String(value.value);
  if (value instanceof Double) return `${value.value}d`;
  if (value instanceof Long) return `${value.toString()}L`;
  if (value instanceof BsonDate) return `date ${value.ms}`;
  return value instanceof Decimal128 ? `${value.toString()}m` : JSON.stringify(value);
}
