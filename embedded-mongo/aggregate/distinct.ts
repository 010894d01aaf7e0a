import { decodeRef } from '../bson/decode.js';
import { compilePath, ElementCursor, findField, type Path, type PathStep, RawRef } from '../bson/raw.js';
import { T } from '../bson/types.js';
import type { BsonValue } from '../bson/value.js';
import type { Collation } from '../compare/collation.js';
import { ValueMap } from '../keystring/value-map.js';

/** Gathers the `distinct` values of a path: elements of arrays one by one, equal numbers of other types as one. */
export class DistinctValues {
  private readonly found: ValueMap<BsonValue>;
  private readonly path: Path;

  constructor(path: string, collation?: Collation) {
    this.found = new ValueMap(collation);
    this.path = compilePath(path);
  }

  add(raw: Buffer): void {
    const root = new RawRef();
    root.point(raw, T.object, 0, raw.length);
    this.walk(root, 0);
  }

  values(): BsonValue[] {
    return [...this.found.items];
  }

  private walk(at: RawRef, step: number): void {
    if (step === this.path.length) {
      if (at.type === T.array) this.each(at, (element) => this.keep(element));
      else this.keep(at);
      return;
    }
    const { bytes, index } = this.path[step] as PathStep;
    if (at.type === T.array) {
      this.each(at, (element, position) => {
        if (element.type === T.object) this.walk(element, step);
        if (position === index) this.walk(element, step + 1);
      });
      return;
    }
    const value = new RawRef();
    if (at.type === T.object && findField(at.buffer, at.start, bytes, value)) this.walk(value, step + 1);
  }

  private each(array: RawRef, visit: (element: RawRef, position: number) => void): void {
    const cursor = new ElementCursor(array.buffer, array.start);
    for (let at = 0; cursor.next(); at++) visit(cursor.into(new RawRef()), at);
  }

  private keep(value: RawRef): void {
    this.found.entryOf(
      value,
      () => decodeRef(value),
      (one) => one,
    );
  }
}

export async function distinctValues(documents: AsyncIterable<Buffer>, path: string): Promise<BsonValue[]> {
  const distinct = new DistinctValues(path);
  for await (const raw of documents) distinct.add(raw);
  return distinct.values();
}
