import { decodeRef } from '../bson/decode.js';
import { ElementCursor, type RawRef, readInt32 } from '../bson/raw.js';
import { canonicalOrder, T } from '../bson/types.js';
import type { TextOrder } from './collation.js';
import { compareValues } from './compare.js';

/** `compareValues` over undecoded values; the types of most filters (strings, int32, double, ids, dates) stay bytes. */
export function compareRaw(a: RawRef, b: RawRef, text?: TextOrder): number {
  const place = canonicalOrder(a.type) - canonicalOrder(b.type);
  if (place !== 0) return place < 0 ? -1 : 1;
  switch (a.type) {
    case T.int32:
      if (b.type === T.int32) return Math.sign(readInt32(a.buffer, a.start) - readInt32(b.buffer, b.start));
      break;
    case T.string:
      if (b.type === T.string && !text) {
        return a.buffer.compare(b.buffer, b.start + 4, b.end - 1, a.start + 4, a.end - 1);
      }
      break;
    case T.objectId:
      return a.buffer.compare(b.buffer, b.start, b.end, a.start, a.end);
    case T.bool:
      return (a.buffer[a.start] as number) - (b.buffer[b.start] as number);
    case T.null:
    case T.minKey:
    case T.maxKey:
    case T.undefined:
      return 0;
    case T.object:
      return compareRawDocuments(a, b, true, text);
    case T.array:
      return compareRawDocuments(a, b, false, text);
    default:
      break;
  }
  return compareValues(decodeRef(a), decodeRef(b), text);
}

export function equalRaw(a: RawRef, b: RawRef, text?: TextOrder): boolean {
  if (a.type === b.type && sameBytes(a, b)) return true;
  // Same type, other bytes: only these can still be equal (-0 and 0, decimal 1.0 and 1.00, and what contains them).
  if (a.type === b.type && !text && !manyForms.has(a.type)) return false;
  return compareRaw(a, b, text) === 0;
}

const manyForms: ReadonlySet<number> = new Set([T.double, T.decimal, T.object, T.array]);

function sameBytes(a: RawRef, b: RawRef): boolean {
  const size = a.end - a.start;
  if (size !== b.end - b.start) return false;
  return size === 0 || a.buffer.compare(b.buffer, b.start, b.end, a.start, a.end) === 0;
}

function compareRawDocuments(a: RawRef, b: RawRef, named: boolean, text: TextOrder | undefined): number {
  const left = new ElementCursor(a.buffer, a.start);
  const right = new ElementCursor(b.buffer, b.start);
  const leftRef = a.copy();
  const rightRef = b.copy();
  for (;;) {
    const more = left.next();
    if (!right.next()) return more ? 1 : 0;
    if (!more) return -1;
    const place = canonicalOrder(left.type) - canonicalOrder(right.type);
    if (place !== 0) return place < 0 ? -1 : 1;
    if (named) {
      const names = left.buffer.compare(right.buffer, right.nameStart, right.nameEnd, left.nameStart, left.nameEnd);
      if (names !== 0) return names;
    }
    const order = compareRaw(left.into(leftRef), right.into(rightRef), text);
    if (order !== 0) return order;
  }
}
