import { compilePath, ElementCursor, emptyDocument, findField, type Path, type PathStep, RawRef } from '../bson/raw.js';
import { T } from '../bson/types.js';
import { BsonUndefined } from '../bson/value.js';
import { MongoError } from '../errors.js';
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
  /** The fields whose paths led through it, a bit each, the first being the lowest. */
  readonly arrayFields: number;
}

const noArrays = { multikey: false, arrayFields: 0 } as const;
const undefinedRef = refOf(new BsonUndefined());
const emptyRoot = new RawRef();
emptyRoot.point(emptyDocument, T.object, 0, emptyDocument.length);

/** How the values of one key become its bytes. */
export type EncodeKey = (refs: readonly (RawRef | undefined)[], directions: readonly Direction[]) => Buffer;

export interface KeyOptions {
  readonly sparse?: boolean;
  readonly encode?: EncodeKey;
  /** Told of the values of every key that stands for a whole document. */
  readonly types?: KeyTypes | undefined;
}

/** Compiles the fields of an index once; the result gives every key of a raw document, sorted out of duplicates. */
export function compileKeys(fields: readonly KeyField[], options: KeyOptions = {}): (raw: Buffer) => IndexKeys {
  const encode = options.encode ?? encodeRefs;
  const paths = fields.map((field) => compilePath(field.path));
  const directions = fields.map((field) => field.direction);
  const root = new RawRef();
  const plainRefs = paths.map(() => new RawRef());
  const found: (RawRef | undefined)[] = paths.map(() => undefined);
  return (raw) => {
    if (findPlain(raw, paths, plainRefs, found)) {
      if (options.sparse && found.every((ref) => ref === undefined)) return { keys: [], ...noArrays };
      options.types?.note(found);
      return { keys: [encode(found, directions)], ...noArrays };
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

/** The common case, without allocation: fills `found` and says true, or says false as soon as it meets an array. */
function findPlain(raw: Buffer, paths: readonly Path[], refs: RawRef[], found: (RawRef | undefined)[]): boolean {
  for (let field = 0; field < paths.length; field++) {
    const path = paths[field] as Path;
    const ref = refs[field] as RawRef;
    let at = 0;
    found[field] = ref;
    for (let step = 0; step < path.length; step++) {
      if ((step > 0 && ref.type !== T.object) || !findField(raw, at, (path[step] as PathStep).bytes, ref)) {
        found[field] = undefined;
        break;
      }
      if (ref.type === T.array) return false;
      at = ref.start;
    }
  }
  return true;
}

/** Every key a document has in an index; parallel arrays are refused with code 171. */
export function indexKeys(raw: Buffer, fields: readonly KeyField[], options: KeyOptions = {}): IndexKeys {
  return compileKeys(fields, options)(raw);
}

/** The key a document sorts by: of several (arrays) the first in the order asked for. */
export function compileSortKey(fields: readonly KeyField[]): (raw: Buffer) => Buffer {
  const keysOf = compileKeys(fields);
  return (raw) => {
    const { keys } = keysOf(raw);
    let least = keys[0] as Buffer;
    for (const key of keys) if (Buffer.compare(key, least) < 0) least = key;
    return least;
  };
}

function unique(keys: Buffer[]): Buffer[] {
  if (keys.length < 2) return keys;
  keys.sort(Buffer.compare);
  return keys.filter((key, i) => i === 0 || !key.equals(keys[i - 1] as Buffer));
}

/** The state of one field's walk: how many steps are done, or that its value is settled. */
const settled = -1;

/** MongoDB's btree key generator: fields walk together, and stop at one array at a time, whose elements they share. */
class Extraction {
  readonly keys: Buffer[] = [];
  arrayFields = 0;

  constructor(
    private readonly paths: readonly Path[],
    private readonly directions: readonly Direction[],
    private readonly sparse: boolean,
    private readonly encode: EncodeKey,
  ) {}

  collect(root: RawRef, progress: readonly number[], values: readonly (RawRef | undefined)[]): void {
    const steps = [...progress];
    const found = [...values];
    let array: RawRef | undefined;
    let arrayField = 0;
    const waiting: number[] = [];
    for (let field = 0; field < this.paths.length; field++) {
      if (steps[field] === settled) continue;
      const stop = this.walk(root, field, steps);
      if (stop === undefined || stop.type !== T.array) {
        found[field] = stop;
        steps[field] = settled;
        continue;
      }
      if (array && (array.start !== stop.start || array.buffer !== stop.buffer)) this.refuseParallel(arrayField, field);
      array = stop;
      arrayField = field;
      waiting.push(field);
    }
    if (!array) {
      if (!this.sparse || found.some((ref) => ref !== undefined)) this.keys.push(this.encode(found, this.directions));
      return;
    }
    this.expand(array, waiting, steps, found);
  }

  /** Follows a field's path until it ends, breaks off (undefined) or meets an array. */
  private walk(root: RawRef, field: number, steps: number[]): RawRef | undefined {
    const path = this.paths[field] as Path;
    let current = root;
    for (let step = steps[field] as number; step < path.length; step++) {
      const next = new RawRef();
      const asked = path[step] as PathStep;
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

  private expand(array: RawRef, waiting: number[], steps: number[], found: (RawRef | undefined)[]): void {
    for (const field of waiting) this.arrayFields |= 1 << field;
    const cursor = new ElementCursor(array.buffer, array.start);
    let empty = true;
    while (cursor.next()) {
      empty = false;
      this.element(cursor.into(new RawRef()), waiting, steps, found);
    }
    // An empty array is indexed as "undefined" where the path ends at it, as missing where it goes on.
    if (empty && undefinedRef) this.element(undefinedRef, waiting, steps, found);
  }

  private element(value: RawRef, waiting: number[], steps: number[], found: (RawRef | undefined)[]): void {
    const nextSteps = [...steps];
    const nextFound = [...found];
    for (const field of waiting) {
      if (steps[field] !== this.paths[field]?.length) continue;
      nextFound[field] = value;
      nextSteps[field] = settled;
    }
    this.collect(value.type === T.object ? value : emptyRoot, nextSteps, nextFound);
  }

  private refuseParallel(first: number, second: number): never {
    const name = (field: number): string | undefined => this.paths[field]?.at(-1)?.name;
    throw new MongoError(
      'CannotIndexParallelArrays',
      `cannot index parallel arrays [${name(second)}] [${name(first)}]`,
    );
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
