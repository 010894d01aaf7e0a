import { ElementCursor, RawRef } from '../bson/raw.js';
import { canonicalOrder, T } from '../bson/types.js';
import type { Collation } from '../compare/collation.js';
import { type Direction, encodeRefs } from './encode.js';
import { compileKeys, type KeyField, type KeyOptions } from './extract.js';
import { compileSortOrder, encodeTuple, type SortOrder } from './sort-order.js';

/**
 * Keys of collated indexes. Intl.Collator gives no sort keys, so text is folded coarsely: texts that the collation
 * calls equal have one key, texts with one key may differ. Such an index finds candidates for equality, which the
 * matcher and the unique check then compare in earnest; it gives neither order nor ranges of text.
 */

/** Text in letters that one plain fold cannot be trusted with (ß, æ, digits of other scripts) goes to one class. */
const entangled = /[^\p{ASCII}](?<=[\p{Script=Latin}\p{N}\p{S}])/u;
const kept = /[^a-z0-9]+/g;

/** Languages whose tailoring makes no two ASCII letters one, nor an accented letter another than its base. */
const plainLanguages: ReadonlySet<string> = new Set([
  'en',
  'fr',
  'de',
  'it',
  'pt',
  'nl',
  'es',
  'id',
  'ms',
  'ru',
  'uk',
  'el',
  'zh',
  'ja',
  'ko',
]);

const classOf = { all: 1, entangled: 2, folded: 3 } as const;

/** The class of a text, and its folded letters where the class is `folded`. */
function foldText(text: string, collation: Collation): { kind: number; letters: string } {
  const language = collation.locale.split(/[_@]/)[0] ?? '';
  if (collation.locale.includes('@') || !plainLanguages.has(language)) return { kind: classOf.all, letters: '' };
  const bare = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  if (entangled.test(bare)) return { kind: classOf.entangled, letters: '' };
  const letters = bare.replace(kept, '');
  return { kind: classOf.folded, letters: collation.numeric ? letters.replace(/\d+/g, '') : letters };
}

function textKey({ kind, letters }: { kind: number; letters: string }): Buffer {
  return Buffer.from([canonicalOrder(T.string), kind, ...Buffer.from(letters, 'latin1'), 0]);
}

/** Whether a value is, or holds, text: all that a collation has a say in. */
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
  if (ref.type === T.object || ref.type === T.array) {
    return directed(Buffer.from([canonicalOrder(ref.type), classOf.all]), direction);
  }
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
 * The keys under which values equal to this one may stand in one field of a collated index: prefixes, not whole keys.
 * An entangled text may equal any other, so it is looked for among all of them.
 */
export function candidateKeys(ref: RawRef, direction: Direction, collation: Collation): Buffer[] {
  if (!holdsText(ref)) return [encodeRefs([ref], [direction])];
  const place = canonicalOrder(ref.type);
  if (ref.type !== T.string && ref.type !== T.symbol) return [directed(Buffer.from([place]), direction)];
  const folded = foldText(ref.buffer.toString('utf8', ref.start + 4, ref.end - 1), collation);
  if (folded.kind !== classOf.folded) return [directed(Buffer.from([place]), direction)];
  const keys = [textKey(folded), Buffer.from([place, classOf.entangled])];
  return keys.map((key) => directed(key, direction)).sort(Buffer.compare);
}

/** The exact side of a collated index: which documents it must hold apart. */
export class CollatedKeys {
  private readonly order: SortOrder;

  constructor(
    private readonly fields: readonly KeyField[],
    readonly collation: Collation,
    private readonly options: Pick<KeyOptions, 'sparse'>,
  ) {
    this.order = compileSortOrder(fields, collation);
  }

  /** The values a document stands for in the index, one tuple per key. */
  tuplesOf(raw: Buffer): Buffer[] {
    return compileKeys(this.fields, { ...this.options, encode: encodeTuple })(raw).keys;
  }

  same(a: Buffer, b: Buffer): boolean {
    return this.order.compare(a, b) === 0;
  }

  /** Beginnings of all keys under which an equal tuple may stand. */
  candidates(tuple: Buffer): Buffer[] {
    const cursor = new ElementCursor(tuple);
    let prefixes = [Buffer.alloc(0)];
    for (const { direction } of this.fields) {
      if (!cursor.next()) return prefixes;
      const keys = candidateKeys(cursor.into(new RawRef()), direction, this.collation);
      prefixes = prefixes.flatMap((prefix) => keys.map((key) => Buffer.concat([prefix, key])));
      // Of text only a beginning may be known, which the next field's key cannot follow.
      if (cursor.type === T.string || cursor.type === T.object || cursor.type === T.array || cursor.type === T.symbol) {
        return prefixes;
      }
    }
    return prefixes;
  }
}
