import { BsonWriter } from '../bson/encode.js';
import { ElementCursor, RawRef } from '../bson/raw.js';
import { T } from '../bson/types.js';
import type { Collation } from '../compare/collation.js';
import { compareRaw } from '../compare/compare-raw.js';
import { type Direction, encodeRefs } from './encode.js';
import { compileKeys, compileSortKey, type KeyField } from './extract.js';

/** How documents are sorted: the key of each, of several (arrays) the first in the order, and the order of keys. */
export interface SortOrder {
  keyOf(raw: Buffer): Buffer;
  compare(a: Buffer, b: Buffer): number;
}

/** Keys are compared as bytes; under a collation they are the values themselves, and compared as such. */
export function compileSortOrder(fields: readonly KeyField[], collation: Collation | undefined): SortOrder {
  if (!collation) return { keyOf: compileSortKey(fields), compare: Buffer.compare };
  const compare = compareTuples(
    fields.map(({ direction }) => direction),
    collation,
  );
  const keysOf = compileKeys(fields, { encode: encodeTuple });
  return {
    compare,
    keyOf: (raw) => {
      const { keys } = keysOf(raw);
      return keys.reduce((least, key) => (compare(key, least) < 0 ? key : least), keys[0] as Buffer);
    },
  };
}

/** The values of a key as a document without names; missing stands as null. */
export function encodeTuple(refs: readonly (RawRef | undefined)[]): Buffer {
  const writer = new BsonWriter(64);
  const start = writer.open();
  for (const ref of refs) {
    if (ref) writer.rawElement('', ref);
    else writer.element(T.null, '');
  }
  writer.close(start);
  return writer.finish();
}

/** The same for values already taken out of their documents. */
export function compileTupleOrder(
  directions: readonly Direction[],
  collation: Collation | undefined,
): { encode(refs: readonly (RawRef | undefined)[]): Buffer; compare(a: Buffer, b: Buffer): number } {
  if (collation) return { encode: encodeTuple, compare: compareTuples(directions, collation) };
  return { encode: (refs) => encodeRefs(refs, directions), compare: Buffer.compare };
}

function compareTuples(directions: readonly Direction[], collation: Collation): (a: Buffer, b: Buffer) => number {
  return (a, b) => {
    const [left, right] = [new ElementCursor(a), new ElementCursor(b)];
    const [leftRef, rightRef] = [new RawRef(), new RawRef()];
    for (const direction of directions) {
      if (!left.next() || !right.next()) return 0;
      const order = compareRaw(left.into(leftRef), right.into(rightRef), collation.compare);
      if (order !== 0) return order * direction;
    }
    return 0;
  };
}
