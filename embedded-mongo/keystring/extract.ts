import { compilePath, ElementCursor, EMPTY_DOCUMENT, findField, type Path, RawRef } from '../bson/raw.js';
import { BsonUndefined, T } from '../bson/value.js';
import { itemAt } from '../checked-access.js';
import { fail } from '../errors.js';
import { type Direction, encodeRefs, refOf } from './encode.js';
import type { KeyTypes } from './key-types.js';

export interface KeyField {
  readonly path: string;
  readonly direction: Direction;
}

export interface IndexKeys {
  readonly keys: Buffer[];
  /** An array was expanded: one record may have several keys, and bounds of two predicates must not be joined. */
  readonly multikey: boolean;
  /** A bit mask of the fields with a path through an array; the first field is the lowest bit. */
  readonly arrayFields: number;
}

const NO_ARRAYS = { multikey: false, arrayFields: 0 } as const;
const undefinedRef = refOf(new BsonUndefined());
const emptyRoot = RawRef.document(EMPTY_DOCUMENT);

/** How the values of one key become its bytes. */
type EncodeKey = (refs: readonly (RawRef | undefined)[], directions: readonly Direction[]) => Buffer;

export interface KeyOptions {
  readonly sparse?: boolean;
  readonly encode?: EncodeKey;
  /** Receives the values of every key of a whole document. */
  readonly types?: KeyTypes | undefined;
}

/** Compiles the fields of an index. The result returns every distinct key of a raw document. */
export function compileKeys(fields: readonly KeyField[], options: KeyOptions = {}): (raw: Buffer) => IndexKeys {
  const encode = options.encode ?? encodeRefs;
  const paths = fields.map((field) => compilePath(field.path));
  const directions = fields.map((field) => field.direction);
  const root = new RawRef();
  const plainRefs = paths.map(() => new RawRef());
  const found: (RawRef | undefined)[] = paths.map(() => undefined);
  return (raw) => {
    if (findPlain(raw, paths, plainRefs, found)) {
      if (options.sparse && found.every((ref) => ref === undefined)) return { keys: [], ...NO_ARRAYS };
      options.types?.note(found);
      return { keys: [encode(found, directions)], ...NO_ARRAYS };
    }
    root.point(raw, T.object, 0, raw.length);
    const extraction = new Extraction(paths, directions, options.sparse === true, encode);
    extraction.collect(
      root,
      paths.map(() => 0),
      paths.map(() => undefined),
    );
    const { keys, arrayFields } = extraction;
    return { keys: unique(keys), multikey: arrayFields !== 0, arrayFields };
  };
}

/** The common case, without allocation: fills `found` and returns true, or returns false at the first array. */
function findPlain(raw: Buffer, paths: readonly Path[], refs: RawRef[], found: (RawRef | undefined)[]): boolean {
  for (let field = 0; field < paths.length; field++) {
    const path = itemAt(paths, field);
    const ref = itemAt(refs, field);
    let at = 0;
    found[field] = ref;
    for (let step = 0; step < path.length; step++) {
      if ((step > 0 && ref.type !== T.object) || !findField(raw, at, itemAt(path, step).bytes, ref)) {
        found[field] = undefined;
        break;
      }
      if (ref.type === T.array) return false;
      at = ref.start;
    }
  }
  return true;
}

/** Returns the sort key of a document: of several (arrays) the first in the order. */
export function compileSortKey(fields: readonly KeyField[]): (raw: Buffer) => Buffer {
  const keysOf = compileKeys(fields);
  return (raw) => {
    const { keys } = keysOf(raw);
    let least = itemAt(keys, 0);
    for (const key of keys) if (Buffer.compare(key, least) < 0) least = key;
    return least;
  };
}

function unique(keys: Buffer[]): Buffer[] {
  if (keys.length < 2) return keys;
  keys.sort(Buffer.compare);
  return keys.filter((key, i) => i === 0 || !key.equals(itemAt(keys, i - 1)));
}

/** The state of one field's walk: how many steps are done, or that its value is settled. */
const SETTLED = -1;

/** MongoDB's btree key generator. Fields walk together, stop at one array at a time and share its elements. */
class Extraction {
  readonly keys: Buffer[] = [];
  arrayFields = 0;
  readonly #paths: readonly Path[];
  readonly #directions: readonly Direction[];
  readonly #sparse: boolean;
  readonly #encode: EncodeKey;

  constructor(paths: readonly Path[], directions: readonly Direction[], sparse: boolean, encode: EncodeKey) {
    this.#paths = paths;
    this.#directions = directions;
    this.#sparse = sparse;
    this.#encode = encode;
  }

  collect(root: RawRef, progress: readonly number[], values: readonly (RawRef | undefined)[]): void {
    const steps = [...progress];
    const found = [...values];
    let array: RawRef | undefined;
    let arrayField = 0;
    const waiting: number[] = [];
    for (let field = 0; field < this.#paths.length; field++) {
      if (steps[field] === SETTLED) continue;
      const stop = this.#walk(root, field, steps);
      if (stop === undefined || stop.type !== T.array) {
        found[field] = stop;
        steps[field] = SETTLED;
        continue;
      }
      if (array && (array.start !== stop.start || array.buffer !== stop.buffer))
        this.#refuseParallel(arrayField, field);
      array = stop;
      arrayField = field;
      waiting.push(field);
    }
    if (!array) {
      if (!this.#sparse || found.some((ref) => ref !== undefined))
        this.keys.push(this.#encode(found, this.#directions));
      return;
    }
    this.#expand(array, waiting, steps, found);
  }

  /** Follows a field's path until it ends, breaks off (undefined) or meets an array. */
  #walk(root: RawRef, field: number, steps: number[]): RawRef | undefined {
    const path = itemAt(this.#paths, field);
    let current = root;
    for (let step = steps[field] ?? 0; step < path.length; step++) {
      const next = new RawRef();
      const asked = itemAt(path, step);
      if (current.type === T.array) {
        // A number names a position, unless elements are documents that use it as a field name.
        const positional =
          asked.index >= 0 &&
          !elementsHaveField(current, asked.bytes) &&
          findField(current.buffer, current.start, asked.bytes, next);
        if (!positional) {
          steps[field] = step;
          return current;
        }
      } else if (current.type !== T.object || !findField(current.buffer, current.start, asked.bytes, next)) {
        return undefined;
      }
      current = next;
    }
    steps[field] = path.length;
    return current;
  }

  #expand(array: RawRef, waiting: number[], steps: number[], found: (RawRef | undefined)[]): void {
    for (const field of waiting) this.arrayFields |= 1 << field;
    const cursor = new ElementCursor(array.buffer, array.start);
    let empty = true;
    while (cursor.next()) {
      empty = false;
      this.#element(cursor.into(new RawRef()), waiting, steps, found);
    }
    // An empty array is indexed as "undefined" where the path ends at it, as missing where it continues.
    if (empty && undefinedRef) this.#element(undefinedRef, waiting, steps, found);
  }

  #element(value: RawRef, waiting: number[], steps: number[], found: (RawRef | undefined)[]): void {
    const nextSteps = [...steps];
    const nextFound = [...found];
    for (const field of waiting) {
      if (steps[field] !== this.#paths[field]?.length) continue;
      nextFound[field] = value;
      nextSteps[field] = SETTLED;
    }
    this.collect(value.type === T.object ? value : emptyRoot, nextSteps, nextFound);
  }

  #refuseParallel(first: number, second: number): never {
    const name = (field: number): string | undefined => this.#paths[field]?.at(-1)?.name;
    fail('CannotIndexParallelArrays', `cannot index parallel arrays [${name(second)}] [${name(first)}]`);
  }
}

function elementsHaveField(array: RawRef, name: Buffer): boolean {
  const cursor = new ElementCursor(array.buffer, array.start);
  const ignored = new RawRef();
  while (cursor.next()) {
    if (cursor.type === T.object && findField(array.buffer, cursor.valueStart, name, ignored)) return true;
  }
  return false;
}
