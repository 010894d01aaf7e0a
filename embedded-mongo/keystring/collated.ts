import { BsonWriter } from '../bson/encode.js';
import { ElementCursor, RawRef } from '../bson/raw.js';
import { canonicalOrder, T } from '../bson/value.js';
import { itemAt, words } from '../checked-access.js';
import type { Collation } from '../compare/collation.js';
import { compareRaw } from '../compare/compare.js';
import { fail, MongoError } from '../errors.js';
import { type Direction, encodeRefs } from './encode.js';
import { compileKeys, compileSortKey, type KeyField, type KeyOptions } from './extract.js';

/** The sort key of each document, and the order of the keys. */
export interface SortOrder {
  keyOf(raw: Buffer): Buffer;
  compare(a: Buffer, b: Buffer): number;
}

/** Compares keys as bytes; under a collation keys are the values, compared as values. */
export function compileSortOrder(fields: readonly KeyField[], collation: Collation | undefined): SortOrder {
  if (!collation) return { keyOf: withSortError(compileSortKey(fields)), compare: Buffer.compare };
  const compare = compareTuples(
    fields.map(({ direction }) => direction),
    collation,
  );
  const keysOf = compileKeys(fields, { encode: encodeTuple });
  return {
    compare,
    keyOf: withSortError((raw) => {
      const { keys } = keysOf(raw);
      return keys.reduce((least, key) => (compare(key, least) < 0 ? key : least), itemAt(keys, 0));
    }),
  };
}

/** An index rejects two arrays as keys with another code than a sort. */
function withSortError(keyOf: SortOrder['keyOf']): SortOrder['keyOf'] {
  return (raw) => {
    try {
      return keyOf(raw);
    } catch (error) {
      if (!(error instanceof MongoError) || error.codeName !== 'CannotIndexParallelArrays') throw error;
      fail('BadValue', 'cannot sort with keys that are parallel arrays');
    }
  };
}

/** The values of a key as a document without names; missing becomes null. */
function encodeTuple(refs: readonly (RawRef | undefined)[]): Buffer {
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

/**
 * Keys of collated indexes. Intl.Collator has no sort keys, so text is folded coarsely: texts that the collation
 * treats as equal share one key, but texts that share a key may differ. Such an index finds candidates for equality,
 * and the matcher and the unique check compare them. It gives no order and no ranges of text.
 */

/** Text with letters that the plain fold cannot handle (ß, æ, digits of other scripts) shares one class. */
const ENTANGLED = /[^\p{ASCII}](?<=[\p{Script=Latin}\p{N}\p{S}])/u;
const KEPT = /[^a-z0-9]+/g;

/** Languages with rules that equate no two ASCII letters and separate no accented letter from its base. */
const PLAIN_LANGUAGES: ReadonlySet<string> = new Set(words('en fr de it pt nl es id ms ru uk el zh ja ko'));

const CLASS_OF = { all: 1, entangled: 2, folded: 3 } as const;

/** The class of a text, and its folded letters where the class is `folded`. */
function foldText(text: string, collation: Collation): { kind: number; letters: string } {
  const language = collation.locale.split(/[_@]/)[0] ?? '';
  if (collation.locale.includes('@') || !PLAIN_LANGUAGES.has(language)) return { kind: CLASS_OF.all, letters: '' };
  const bare = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  if (ENTANGLED.test(bare)) return { kind: CLASS_OF.entangled, letters: '' };
  const letters = bare.replace(KEPT, '');
  return { kind: CLASS_OF.folded, letters: collation.numeric ? letters.replace(/\d+/g, '') : letters };
}

function textKey({ kind, letters }: { kind: number; letters: string }): Buffer {
  return Buffer.from([canonicalOrder(T.string), kind, ...Buffer.from(letters, 'latin1'), 0]);
}

/** Whether a value is or contains text, the only type that a collation affects. */
export function holdsText(ref: RawRef): boolean {
  if (ref.type === T.string || ref.type === T.symbol) return true;
  if (ref.type !== T.object && ref.type !== T.array) return false;
  const cursor = new ElementCursor(ref.buffer, ref.start);
  const inner = ref.copy();
  while (cursor.next()) if (holdsText(cursor.into(inner))) return true;
  return false;
}

function directed(key: Buffer, direction: Direction): Buffer {
  return direction > 0 ? key : Buffer.from(key.map((byte) => ~byte & 0xff));
}

function fieldKey(ref: RawRef | undefined, direction: Direction, collation: Collation): Buffer {
  if (!ref || !holdsText(ref)) return encodeRefs([ref], [direction]);
  if (ref.type === T.object || ref.type === T.array)
    return directed(Buffer.from([canonicalOrder(ref.type), CLASS_OF.all]), direction);
  const text = ref.buffer.toString('utf8', ref.start + 4, ref.end - 1);
  return directed(textKey(foldText(text, collation)), direction);
}

/** `encodeRefs` for a collated index. */
export function encodeCollated(
  refs: readonly (RawRef | undefined)[],
  directions: readonly Direction[],
  collation: Collation,
): Buffer {
  return Buffer.concat(refs.map((ref, i) => fieldKey(ref, directions[i] ?? 1, collation)));
}

/**
 * The key prefixes of all values that may equal this one in one field of a collated index. An entangled text may equal
 * any other, so all entangled texts are searched.
 */
export function candidateKeys(ref: RawRef, direction: Direction, collation: Collation): Buffer[] {
  if (!holdsText(ref)) return [encodeRefs([ref], [direction])];
  const place = canonicalOrder(ref.type);
  if (ref.type !== T.string && ref.type !== T.symbol) return [directed(Buffer.from([place]), direction)];
  const folded = foldText(ref.buffer.toString('utf8', ref.start + 4, ref.end - 1), collation);
  if (folded.kind !== CLASS_OF.folded) return [directed(Buffer.from([place]), direction)];
  const keys = [textKey(folded), Buffer.from([place, CLASS_OF.entangled])];
  return keys.map((key) => directed(key, direction)).sort(Buffer.compare);
}

/** The exact comparison of a collated index: which documents it must keep apart. */
export class CollatedKeys {
  readonly #order: SortOrder;
  readonly #fields: readonly KeyField[];
  readonly #options: Pick<KeyOptions, 'sparse'>;

  constructor(
    fields: readonly KeyField[],
    readonly collation: Collation,
    options: Pick<KeyOptions, 'sparse'>,
  ) {
    this.#fields = fields;
    this.#options = options;
    this.#order = compileSortOrder(fields, collation);
  }

  /** The values of a document in the index, one tuple for each key. */
  tuplesOf(raw: Buffer): Buffer[] {
    return compileKeys(this.#fields, { ...this.#options, encode: encodeTuple })(raw).keys;
  }

  same(a: Buffer, b: Buffer): boolean {
    return this.#order.compare(a, b) === 0;
  }

  /** The prefixes of all keys that may hold an equal tuple. */
  candidates(tuple: Buffer): Buffer[] {
    const cursor = new ElementCursor(tuple);
    let prefixes = [Buffer.alloc(0)];
    for (const { direction } of this.#fields) {
      if (!cursor.next()) return prefixes;
      const keys = candidateKeys(cursor.into(new RawRef()), direction, this.collation);
      prefixes = prefixes.flatMap((prefix) => keys.map((key) => Buffer.concat([prefix, key])));
      // Only a prefix of text may be known, and no further field can follow it.
      if (cursor.type === T.string || cursor.type === T.object || cursor.type === T.array || cursor.type === T.symbol)
        return prefixes;
    }
    return prefixes;
  }
}
