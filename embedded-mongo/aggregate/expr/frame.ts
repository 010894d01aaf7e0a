import { decodeRef } from '../../bson/decode.js';
import { ElementCursor, findField, type Path, RawRef } from '../../bson/raw.js';
import { BsonDoc, type BsonValue, T, typeOf } from '../../bson/value.js';
import { itemAt } from '../../checked-access.js';

/** A compiled expression; `undefined` is a missing value. */
export type Expression = (frame: Frame) => BsonValue | undefined;

/** The scope of an expression: the undecoded document and the variables, innermost first. */
export class Frame {
  readonly #name: string;
  readonly #value: BsonValue | undefined;
  readonly #parent: Frame | undefined;

  constructor(
    readonly root: RawRef,
    name = '',
    value?: BsonValue,
    parent?: Frame,
  ) {
    this.#name = name;
    this.#value = value;
    this.#parent = parent;
  }

  static of(raw: Buffer): Frame {
    return new Frame(RawRef.document(raw));
  }

  with(name: string, value: BsonValue | undefined): Frame {
    return new Frame(this.root, name, value, this);
  }

  /** The same variables around another document. */
  at(raw: Buffer): Frame {
    return this.around(Frame.of(raw).root);
  }

  around(root: RawRef): Frame {
    return new Frame(root, this.#name, this.#value, this.#parent);
  }

  variable(name: string): BsonValue | undefined {
    for (let frame: Frame | undefined = this; frame; frame = frame.#parent)
      if (frame.#name === name) return frame.#value;
    return undefined;
  }

  document(): BsonValue {
    return decodeRef(this.root);
  }
}

export function isNullish(value: BsonValue | undefined): value is null | undefined {
  return value === undefined || value === null || typeOf(value) === T.undefined;
}

/** False, null, missing and zero are false; all other values, including empty strings and arrays, are true. */
export function isTrue(value: BsonValue | undefined): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (typeof value !== 'object' || Array.isArray(value)) return true;
  switch (value._bsontype) {
    case 'Int32':
    case 'Double':
      return value.value !== 0;
    case 'Long':
      return !value.isZero();
    case 'Decimal128':
      return !/^-?0(?:\.0+)?(?:E[+-]?\d+)?$/.test(value.toString());
    default:
      return value._bsontype !== 'BsonUndefined';
  }
}

/** A field path as expressions see it: through documents, and over all elements of arrays (never by position). */
export function readPath(ref: RawRef, path: Path, from = 0): BsonValue | undefined {
  const value = new RawRef();
  let at = ref;
  for (let step = from; step < path.length; step++) {
    if (at.type === T.array) return readElements(at, path, step);
    if (at.type !== T.object || !findField(at.buffer, at.start, itemAt(path, step).bytes, value)) return undefined;
    at = value;
  }
  return decodeRef(at);
}

function readElements(array: RawRef, path: Path, step: number): BsonValue[] {
  const cursor = new ElementCursor(array.buffer, array.start);
  const element = new RawRef();
  const found: BsonValue[] = [];
  while (cursor.next()) {
    const value = readPath(cursor.into(element), path, step);
    if (value !== undefined) found.push(value);
  }
  return found;
}

/** The same on a decoded value, for paths below variables. */
export function readValuePath(value: BsonValue | undefined, path: Path, step = 0): BsonValue | undefined {
  if (step === path.length || value === undefined) return value;
  if (Array.isArray(value))
    return value.map((element) => readValuePath(element, path, step)).filter((found) => found !== undefined);
  return value instanceof BsonDoc ? readValuePath(value.get(itemAt(path, step).name), path, step + 1) : undefined;
}
