import { Double, Int32, Long } from 'bson';
import { ElementCursor } from '../bson/raw.js';
import type { BsonDoc, BsonValue } from '../bson/value.js';

/**
 * The common projections — whole top-level fields taken or left out — on stored bytes, without decoding a value.
 * Undefined for anything more: dotted paths, operators, expressions.
 */
export function plainProjection(spec: BsonDoc): ((raw: Buffer) => Buffer) | undefined {
  const names = new Set<string>();
  let including: boolean | undefined;
  let withId: boolean | undefined;
  for (const [name, value] of spec.entries()) {
    const wanted = flagOf(value);
    if (wanted === undefined || name.includes('.') || name.startsWith('$') || name === '') return undefined;
    if (name === '_id') {
      withId = wanted;
      continue;
    }
    if (including !== undefined && including !== wanted) return undefined;
    including = wanted;
    names.add(name);
  }
  // {_id: 1} alone includes nothing else; {_id: 0} alone leaves out nothing else.
  const inclusive = including ?? withId === true;
  const keepId = withId ?? true;
  return (raw) => pick(raw, (name) => (name === '_id' ? keepId : names.has(name) === inclusive));
}

/** The paths a projection keeps, where it keeps fields as they are and nothing else; undefined where it does more. */
export function projectedPaths(spec: BsonDoc): ReadonlySet<string> | undefined {
  const paths = new Set(['_id']);
  let keeps = false;
  for (const [path, value] of spec.entries()) {
    const wanted = flagOf(value);
    if (wanted === undefined || path.split('.').some((name) => name === '' || name.startsWith('$'))) return undefined;
    if (!wanted && path !== '_id') return undefined;
    if (wanted) paths.add(path);
    else paths.delete('_id');
    keeps ||= wanted;
  }
  return keeps ? paths : undefined;
}

/** 1 and true take a field, 0 and false leave it out; anything else is a value or an expression. */
function flagOf(value: BsonValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value instanceof Int32 || value instanceof Double) return value.value !== 0;
  if (value instanceof Long) return !value.isZero();
  return undefined;
}

function pick(raw: Buffer, wanted: (name: string) => boolean): Buffer {
  const out = Buffer.allocUnsafe(raw.length);
  let length = 4;
  const cursor = new ElementCursor(raw);
  while (cursor.next()) {
    if (!wanted(cursor.name)) continue;
    length += raw.copy(out, length, cursor.elementStart, cursor.valueEnd);
  }
  out[length++] = 0;
  out.writeInt32LE(length, 0);
  return out.subarray(0, length);
}
