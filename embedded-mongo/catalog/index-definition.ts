import { encodeDocument } from '../bson/encode.js';
import { findField, RawRef } from '../bson/raw.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import { type Collation, parseCollation } from '../compare/collation.js';
import { MongoError } from '../errors.js';
import { CollatedKeys, encodeCollated } from '../keystring/collated.js';
import { compileKeys, type IndexKeys } from '../keystring/extract.js';
import { KeyTypes } from '../keystring/key-types.js';
import { collatedExpressions, compileMatcher, type Matcher } from '../match/matcher.js';
import { textKeys } from '../text/text-keys.js';
import type { TextSpec } from '../text/text-spec.js';
import { asNumber, isTrue } from './bson-arguments.js';
import { describeText, isTextKey, parseTextSpec, textKeyPattern, textOptions } from './text-definition.js';

export interface IndexField {
  readonly path: string;
  readonly direction: 1 | -1;
}

/** What a client asked for, checked. */
export interface IndexSpec {
  readonly name: string;
  readonly key: BsonDoc;
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partialFilter: BsonDoc | undefined;
  readonly expireAfterSeconds: number | undefined;
  readonly collation: Collation | undefined;
  readonly text?: TextSpec;
  /** Kept and enforced, but no plan may use it. */
  readonly hidden?: boolean;
}

/** Facts about the stored entries that plans depend on; they only ever turn from false to true. */
export interface IndexState {
  multikey: boolean;
  /** Fields that arrays were met in, a bit each; not kept of a multikey index older than that. */
  readonly arrayFields?: number | undefined;
  /** Some key was too long and is stored as prefix and hash: entries no longer order exactly. */
  cut: boolean;
  building: boolean;
  /** By field, what its values ever were (`KeyTypes`); none of an index older than that was kept. */
  readonly seenTypes?: readonly number[] | undefined;
}

const oldField = new RawRef();
const newField = new RawRef();

export class Index {
  /** Top-level fields that hold what is indexed. */
  private readonly roots: readonly Buffer[];
  readonly fields: readonly IndexField[];
  readonly partialMatcher: Matcher | undefined;
  /** Every key string a document has in this index, uncut. */
  readonly keysOf: (raw: Buffer) => IndexKeys;
  /** Under a collation keys are coarse: they find candidates, and this tells which of them are equal. */
  readonly collated: CollatedKeys | undefined;
  /** What its keys stand for, where that is known. */
  readonly keyTypes: KeyTypes | undefined;
  multikey: boolean;
  /** Of a multikey index: undefined where any field may have been an array. */
  arrayFields: number | undefined;
  cut: boolean;
  building: boolean;
  /** Queries that read it, since the server started. */
  uses = 0;
  /** Set when it is dropped: plans that paused must not go on with it. */
  dropped = false;
  /** Set when another object took its place: it no longer hears of what is written. */
  outdated = false;

  constructor(
    readonly id: number,
    public spec: IndexSpec,
    state: IndexState,
  ) {
    this.fields = spec.text ? [] : fieldsOf(spec.key);
    const roots = new Set(this.fields.map(({ path }) => path.split('.')[0] ?? path));
    this.roots = [...roots].map((name) => Buffer.from(name));
    this.partialMatcher = spec.partialFilter
      ? compileMatcher(spec.partialFilter, collatedExpressions(spec.collation))
      : undefined;
    const { collation, sparse, text } = spec;
    const known = text || collation ? undefined : state.seenTypes;
    this.keyTypes = known && new KeyTypes(this.fields.length, known);
    this.collated = collation && new CollatedKeys(this.fields, collation, { sparse });
    this.keysOf = text
      ? (raw) => textKeys(text, raw)
      : collation
        ? compileKeys(this.fields, {
            sparse,
            encode: (refs, directions) => encodeCollated(refs, directions, collation),
          })
        : compileKeys(this.fields, { sparse, types: this.keyTypes });
    this.multikey = state.multikey;
    this.arrayFields = state.multikey ? state.arrayFields : 0;
    this.cut = state.cut;
    this.building = state.building;
  }

  /** An array was met in these fields. @returns whether that was new. */
  noteArrays(fields: number): boolean {
    const isNew = !this.multikey || (this.arrayFields !== undefined && (fields & ~this.arrayFields) !== 0);
    this.multikey = true;
    if (this.arrayFields !== undefined) this.arrayFields |= fields;
    return isNew;
  }

  /** Whether a document may have several values of this field. */
  mayBeArray(field: number): boolean {
    return this.multikey && (this.arrayFields === undefined || (this.arrayFields & (1 << field)) !== 0);
  }

  get name(): string {
    return this.spec.name;
  }

  /** Whether a document's entries must be the same after a change, seen from the bytes of its indexed fields alone. */
  isUntouched(before: Buffer, after: Buffer): boolean {
    if (this.partialMatcher || this.spec.text) return false;
    return this.roots.every((name) => {
      const wasThere = findField(before, 0, name, oldField);
      if (wasThere !== findField(after, 0, name, newField)) return false;
      return !wasThere || (oldField.type === newField.type && oldField.bytes().equals(newField.bytes()));
    });
  }

  get isId(): boolean {
    return this.spec.name === '_id_';
  }

  /** Whether no two documents may agree in it; `_id_` does not list its uniqueness but has it. */
  get keepsUnique(): boolean {
    return this.spec.unique || this.isId;
  }

  /** Entries hold one record per key. Not those of collated indexes, whose keys different values may share. */
  get unique(): boolean {
    return this.keepsUnique && !this.collated;
  }
}

function fieldsOf(key: BsonDoc): IndexField[] {
  return key.keys.map((path, i) => ({ path, direction: (asNumber(key.values[i]) ?? 1) < 0 ? -1 : 1 }));
}

export const idIndexSpec: IndexSpec = {
  name: '_id_',
  key: BsonDoc.of({ _id: 1 }),
  unique: false,
  sparse: false,
  partialFilter: undefined,
  expireAfterSeconds: undefined,
  collation: undefined,
};

/** Options with a meaning here, and those that may be present because they change nothing. */
const knownOptions: ReadonlySet<string> = new Set([
  'v',
  'key',
  'name',
  'ns',
  'unique',
  'sparse',
  'background',
  'partialFilterExpression',
  'expireAfterSeconds',
  'collation',
  'hidden',
  ...textOptions,
]);

/** Options that are on or off; a value that is neither must not be taken for off. */
const switches = ['unique', 'sparse', 'hidden', 'background'];

/** Parses one element of createIndexes' `indexes`; without a collation of its own it has the collection's. */
export function parseIndexSpec(doc: BsonDoc, standard?: Collation): IndexSpec {
  for (const option of doc.keys) {
    if (!knownOptions.has(option)) {
      throw new MongoError(
        'InvalidIndexSpecificationOption',
        `The field '${option}' is not valid for an index specification, or is not supported here`,
      );
    }
  }
  for (const option of switches) {
    const value = doc.get(option);
    if (value === undefined || typeof value === 'boolean' || asNumber(value) !== undefined) continue;
    throw new MongoError('TypeMismatch', `The field '${option}' is not convertible to bool`);
  }
  const key = parseKey(doc.get('key'));
  const text = isTextKey(key) ? parseTextSpec(doc, key) : undefined;
  checkTextOptions(doc, text);
  const partial = doc.get('partialFilterExpression');
  if (partial !== undefined && !(partial instanceof BsonDoc)) {
    throw new MongoError('TypeMismatch', "The field 'partialFilterExpression' must be an object");
  }
  const sparse = isTrue(doc.get('sparse'));
  if (sparse && partial) {
    throw new MongoError('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options');
  }
  const name = doc.get('name');
  return {
    name: typeof name === 'string' && name.length > 0 ? name : nameOfKey(key),
    key: text ? textKeyPattern(key) : key,
    unique: isTrue(doc.get('unique')),
    sparse,
    partialFilter: partial,
    expireAfterSeconds: parseExpiry(doc.get('expireAfterSeconds'), key),
    // Words are compared by the rules of text indexes, whatever the collection's collation.
    collation: text ? undefined : collationOf(doc.get('collation'), standard),
    ...(text ? { text } : {}),
    ...(isTrue(doc.get('hidden')) ? { hidden: true } : {}),
  };
}

function parseKey(key: BsonValue | undefined): BsonDoc {
  if (!(key instanceof BsonDoc))
    throw new MongoError('FailedToParse', "The 'key' field is a required property of an index specification");
  if (key.size === 0) throw new MongoError('CannotCreateIndex', 'Index keys cannot be empty.');
  if (key.size > 32) throw new MongoError(13103, 'too many keys in index');
  for (const [path, direction] of key) {
    if (direction === 'text') continue;
    if (path === '' || path.startsWith('$') || path.split('.').includes('')) {
      throw new MongoError('CannotCreateIndex', `Index key contains an illegal field name: '${path}'`);
    }
    if (path.includes('$**')) throw new MongoError('CannotCreateIndex', 'wildcard indexes are not supported');
    const number = asNumber(direction);
    if (number === undefined) {
      throw new MongoError(
        'CannotCreateIndex',
        `Values in v:2 index key pattern must be numbers; '${String(direction)}' is not supported`,
      );
    }
    if (number === 0 || Number.isNaN(number))
      throw new MongoError('CannotCreateIndex', 'Values in the index key pattern cannot be 0.');
  }
  return key;
}

function checkTextOptions(doc: BsonDoc, text: TextSpec | undefined): void {
  const option = textOptions.find((name) => doc.has(name));
  if (!text && option) throw new MongoError('CannotCreateIndex', `'${option}' is an option of text indexes`);
  if (text && isTrue(doc.get('unique'))) throw new MongoError('CannotCreateIndex', 'a text index cannot be unique');
  if (text && doc.has('expireAfterSeconds'))
    throw new MongoError('CannotCreateIndex', 'TTL indexes are single-field indexes of a direction');
  const collation = doc.get('collation');
  if (text && collation instanceof BsonDoc && collation.get('locale') !== 'simple')
    throw new MongoError('CannotCreateIndex', 'a text index supports the simple collation only');
}

function collationOf(value: BsonValue | undefined, standard: Collation | undefined): Collation | undefined {
  if (value === undefined) return standard;
  if (value instanceof BsonDoc) return parseCollation(value);
  throw new MongoError('TypeMismatch', "The field 'collation' must be an object");
}

/** TTL bounds as MongoDB has them: 0 to 2^31-1 seconds, one field, not `_id`. */
function parseExpiry(value: BsonValue | undefined, key: BsonDoc): number | undefined {
  if (value === undefined) return undefined;
  const seconds = asNumber(value);
  if (seconds === undefined || seconds < 0 || seconds > 0x7fff_ffff) {
    throw new MongoError('CannotCreateIndex', 'TTL index expireAfterSeconds option must be within 0 and 2147483647');
  }
  if (key.size !== 1 || key.keys[0] === '_id') {
    throw new MongoError(
      'CannotCreateIndex',
      'TTL indexes are single-field indexes, compound indexes and _id do not support TTL',
    );
  }
  return seconds;
}

export function nameOfKey(key: BsonDoc): string {
  return key.keys.map((path, i) => `${path}_${asNumber(key.values[i]) ?? String(key.values[i])}`).join('_');
}

/** Whether two specifications ask for the same index (names apart). */
export function sameIndex(a: IndexSpec, b: IndexSpec): boolean {
  return (
    sameKey(a, b) &&
    a.unique === b.unique &&
    a.sparse === b.sparse &&
    a.expireAfterSeconds === b.expireAfterSeconds &&
    (a.hidden === true) === (b.hidden === true) &&
    sameFilter(a.text && describeText(a.text), b.text && describeText(b.text))
  );
}

/** Same fields, directions, collation and partial filter: MongoDB allows only one such index. */
export function sameKey(a: IndexSpec, b: IndexSpec): boolean {
  return (
    shape(a.key) === shape(b.key) && sameFilter(a.partialFilter, b.partialFilter) && a.collation?.id === b.collation?.id
  );
}

function shape(key: BsonDoc): string {
  return JSON.stringify(fieldsOf(key).map(({ path, direction }) => [path, direction]));
}

function sameFilter(a: BsonDoc | undefined, b: BsonDoc | undefined): boolean {
  if (!a || !b) return a === b;
  return encodeDocument(a).equals(encodeDocument(b));
}

/** The specification as listIndexes shows it. */
export function describeIndex(spec: IndexSpec): BsonDoc {
  const doc = BsonDoc.of({ v: 2, key: spec.key, name: spec.name });
  if (spec.unique) doc.append('unique', true);
  if (spec.sparse) doc.append('sparse', true);
  if (spec.partialFilter) doc.append('partialFilterExpression', spec.partialFilter);
  if (spec.collation) doc.append('collation', spec.collation.spec);
  if (spec.hidden) doc.append('hidden', true);
  if (spec.text) for (const [name, value] of describeText(spec.text)) doc.append(name, value);
  if (spec.expireAfterSeconds !== undefined) {
    for (const [name, value] of BsonDoc.of({ expireAfterSeconds: spec.expireAfterSeconds })) doc.append(name, value);
  }
  return doc;
}
