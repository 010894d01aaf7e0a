import { encodeDocument } from '../bson/encode.js';
import { asNumber, isTrue } from '../bson/number.js';
import { findField, RawRef } from '../bson/raw.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import { words } from '../checked-access.js';
import { type Collation, parseCollation } from '../compare/collation.js';
import { fail } from '../errors.js';
import { CollatedKeys, encodeCollated } from '../keystring/collated.js';
import { compileKeys, type IndexKeys } from '../keystring/extract.js';
import { KeyTypes } from '../keystring/key-types.js';
import { collatedExpressions, compileMatcher, type Matcher } from '../match/matcher.js';
import {
  describeText,
  isTextKey,
  parseTextSpec,
  TEXT_OPTIONS,
  type TextSpec,
  textKeyPattern,
  textKeys,
} from '../text/spec.js';

export interface IndexField {
  readonly path: string;
  readonly direction: 1 | -1;
}

/** A checked index specification. */
export interface IndexSpec {
  readonly name: string;
  readonly key: BsonDoc;
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partialFilter: BsonDoc | undefined;
  readonly expireAfterSeconds: number | undefined;
  readonly collation: Collation | undefined;
  /** Set for a text index. */
  readonly text?: TextSpec;
  /** Kept and enforced, but no plan may use it. */
  readonly hidden?: boolean;
  /** Writes keep it unique although it was built without: the step before a conversion to unique. */
  readonly prepareUnique?: boolean;
  /** The declaration of an index that this server does not serve: it has no entries, and no plan uses it. */
  readonly declared?: BsonDoc;
}

/** Facts about the stored entries that plans depend on; they only ever turn from false to true. */
interface IndexState {
  multikey: boolean;
  /** A bit for each field that has held an array; absent for a multikey index built before this was recorded. */
  readonly arrayFields?: number | undefined;
  /** Some key was too long and is stored as prefix and hash, so entries no longer order exactly. */
  cut: boolean;
  building: boolean;
  /** For each field, the types it has ever held (`KeyTypes`); absent for older indexes. */
  readonly seenTypes?: readonly number[] | undefined;
}

/** A declared index holds no document. */
const NO_KEYS: IndexKeys = { keys: [], multikey: false, arrayFields: 0 };

const oldField = new RawRef();
const newField = new RawRef();

export class Index {
  /** Top-level fields that contain the indexed values. */
  readonly #roots: readonly Buffer[];
  readonly fields: readonly IndexField[];
  readonly partialMatcher: Matcher | undefined;
  /** Every key string a document has in this index, uncut. */
  readonly keysOf: (raw: Buffer) => IndexKeys;
  /** Keys under a collation only find candidates; this compares them exactly. */
  readonly collated: CollatedKeys | undefined;
  /** The types behind the keys, where they are known. */
  readonly keyTypes: KeyTypes | undefined;
  multikey: boolean;
  /** For a multikey index, undefined when any field may have been an array. */
  arrayFields: number | undefined;
  cut: boolean;
  building: boolean;
  /** Queries that read it, since the server started. */
  uses = 0;
  /** Set when the index is dropped: paused plans must stop. */
  dropped = false;
  /** Set when another object replaced it: it no longer receives changes. */
  outdated = false;

  constructor(
    readonly id: number,
    public spec: IndexSpec,
    state: IndexState,
  ) {
    this.fields = spec.text || spec.declared ? [] : fieldsOf(spec.key);
    const roots = new Set(this.fields.map(({ path }) => path.split('.')[0] ?? path));
    this.#roots = [...roots].map((name) => Buffer.from(name));
    this.partialMatcher = spec.partialFilter
      ? compileMatcher(spec.partialFilter, collatedExpressions(spec.collation))
      : undefined;
    const { collation, sparse, text } = spec;
    const known = text || collation ? undefined : state.seenTypes;
    this.keyTypes = known && new KeyTypes(this.fields.length, known);
    this.collated = collation && new CollatedKeys(this.fields, collation, { sparse });
    this.keysOf = spec.declared
      ? () => NO_KEYS
      : text
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

  /** Records that these fields held an array. @returns whether that was new. */
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

  /** Whether a change leaves the document's entries unchanged, judging only by the bytes of the indexed fields. */
  isUntouched(before: Buffer, after: Buffer): boolean {
    if (this.spec.declared) return true;
    if (this.partialMatcher || this.spec.text) return false;
    return this.#roots.every((name) => {
      const wasThere = findField(before, 0, name, oldField);
      if (wasThere !== findField(after, 0, name, newField)) return false;
      return !wasThere || (oldField.type === newField.type && oldField.bytes().equals(newField.bytes()));
    });
  }

  get isId(): boolean {
    return this.spec.name === '_id_';
  }

  /** Whether the index is unique; `_id_` is, although its listing does not show it. */
  get keepsUnique(): boolean {
    return this.spec.unique || this.isId || this.spec.prepareUnique === true;
  }

  /** Whether each key has one record. False for collated indexes, where different values may share a key. */
  get unique(): boolean {
    return (this.spec.unique || this.isId) && !this.collated;
  }
}

function fieldsOf(key: BsonDoc): IndexField[] {
  return key.keys.map((path, i) => ({ path, direction: (asNumber(key.values[i]) ?? 1) < 0 ? -1 : 1 }));
}

export const ID_INDEX_SPEC: IndexSpec = {
  name: '_id_',
  key: BsonDoc.of({ _id: 1 }),
  unique: false,
  sparse: false,
  partialFilter: undefined,
  expireAfterSeconds: undefined,
  collation: undefined,
};

/** Options with an effect, and options that are accepted because they change nothing. */
const KNOWN_OPTIONS: ReadonlySet<string> = new Set([
  ...words(`
    v key name ns unique sparse background partialFilterExpression expireAfterSeconds collation hidden prepareUnique`),
  ...TEXT_OPTIONS,
]);

/** Boolean options; a value that is neither true nor false is an error. */
const SWITCHES = ['unique', 'sparse', 'hidden', 'background', 'prepareUnique'];

/** Kinds of index, and options of theirs, that may be declared. */
const UNSERVED_KINDS: ReadonlySet<string> = new Set(words('2d 2dsphere geoHaystack hashed'));
const UNSERVED_OPTIONS = words('2dsphereIndexVersion bits min max bucketSize wildcardProjection storageEngine');

/** Whether an index is of a kind that this server does not serve. */
export function isUnserved(doc: BsonDoc): boolean {
  return unservedKind(doc) !== undefined;
}

function unservedKind(doc: BsonDoc): string | undefined {
  const key = doc.get('key');
  if (!(key instanceof BsonDoc)) return undefined;
  // `$**` also names all texts in a text index, which is served.
  if ([...key].some(([path, kind]) => kind !== 'text' && (path === '$**' || path.endsWith('.$**')))) return 'wildcard';
  return key.values.find((kind): kind is string => typeof kind === 'string' && UNSERVED_KINDS.has(kind));
}

/** Keeps the declaration of an index that is not served. A unique one is an error: nothing would keep it unique. */
export function declareIndex(doc: BsonDoc): IndexSpec {
  const unknown = doc.keys.find(
    (name) => !KNOWN_OPTIONS.has(name) && !UNSERVED_OPTIONS.includes(name) && name !== 'served',
  );
  if (unknown)
    fail('InvalidIndexSpecificationOption', `The field '${unknown}' is not valid for an index specification`);
  if (isTrue(doc.get('unique')))
    fail('CannotCreateIndex', 'an index of this kind is only declared, so it cannot keep values unique');
  const key = doc.get('key');
  if (!(key instanceof BsonDoc)) fail('FailedToParse', "The 'key' field is a required property");
  const name = doc.get('name');
  const declared = new BsonDoc([...doc.keys], [...doc.values]);
  declared.delete('served');
  return {
    ...ID_INDEX_SPEC,
    name: typeof name === 'string' && name.length > 0 ? name : nameOfKey(key),
    key,
    hidden: true,
    declared,
  };
}

/** Parses one element of createIndexes' `indexes`; the collection's collation is the default. */
export function parseIndexSpec(doc: BsonDoc, standard?: Collation): IndexSpec {
  const unserved = unservedKind(doc);
  if (unserved)
    fail(
      'CannotCreateIndex',
      `This server does not support ${unserved} indexes. The option --permissive-indexes accepts their declarations.`,
    );
  for (const option of doc.keys) {
    if (!KNOWN_OPTIONS.has(option))
      fail(
        'InvalidIndexSpecificationOption',
        `The field '${option}' is not valid for an index specification, or is not supported here`,
      );
  }
  for (const option of SWITCHES) {
    const value = doc.get(option);
    if (value === undefined || typeof value === 'boolean' || asNumber(value) !== undefined) continue;
    fail('TypeMismatch', `The field '${option}' is not convertible to bool`);
  }
  const key = parseKey(doc.get('key'));
  const text = isTextKey(key) ? parseTextSpec(doc, key) : undefined;
  checkTextOptions(doc, text);
  const partial = doc.get('partialFilterExpression');
  if (partial !== undefined && !(partial instanceof BsonDoc))
    fail('TypeMismatch', "The field 'partialFilterExpression' must be an object");
  const sparse = isTrue(doc.get('sparse'));
  if (sparse && partial) fail('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options');
  const name = doc.get('name');
  return {
    name: typeof name === 'string' && name.length > 0 ? name : nameOfKey(key),
    key: text ? textKeyPattern(key) : key,
    unique: isTrue(doc.get('unique')),
    sparse,
    partialFilter: partial,
    expireAfterSeconds: parseExpiry(doc.get('expireAfterSeconds'), key),
    // A text index compares words by its own rules, whatever the collection's collation.
    collation: text ? undefined : collationOf(doc.get('collation'), standard),
    ...(text ? { text } : {}),
    ...(isTrue(doc.get('hidden')) ? { hidden: true } : {}),
    ...(isTrue(doc.get('prepareUnique')) ? { prepareUnique: true } : {}),
  };
}

function parseKey(key: BsonValue | undefined): BsonDoc {
  if (!(key instanceof BsonDoc))
    fail('FailedToParse', "The 'key' field is a required property of an index specification");
  if (key.size === 0) fail('CannotCreateIndex', 'Index keys cannot be empty.');
  if (key.size > 32) fail(13103, 'too many keys in index');
  for (const [path, direction] of key) {
    if (direction === 'text') continue;
    if (path === '' || path.startsWith('$') || path.split('.').includes(''))
      fail('CannotCreateIndex', `Index key contains an illegal field name: '${path}'`);
    if (typeof direction === 'string') fail('CannotCreateIndex', `Unknown index plugin '${direction}'`);
    const number = asNumber(direction);
    if (number === undefined)
      fail(
        'CannotCreateIndex',
        'Values in v:2 index key pattern cannot be of another type. Only numbers and strings are allowed.',
      );
    if (number === 0 || Number.isNaN(number)) fail('CannotCreateIndex', 'Values in the index key pattern cannot be 0.');
  }
  return key;
}

function checkTextOptions(doc: BsonDoc, text: TextSpec | undefined): void {
  const option = TEXT_OPTIONS.find((name) => doc.has(name));
  if (!text && option) fail('CannotCreateIndex', `'${option}' is an option of text indexes`);
  if (text && isTrue(doc.get('unique'))) fail('CannotCreateIndex', 'a text index cannot be unique');
  if (text && doc.has('expireAfterSeconds'))
    fail('CannotCreateIndex', 'TTL indexes are single-field indexes of a direction');
  const collation = doc.get('collation');
  if (text && collation instanceof BsonDoc && collation.get('locale') !== 'simple')
    fail('CannotCreateIndex', 'a text index supports the simple collation only');
}

function collationOf(value: BsonValue | undefined, standard: Collation | undefined): Collation | undefined {
  if (value === undefined) return standard;
  if (value instanceof BsonDoc) return parseCollation(value);
  fail('TypeMismatch', "The field 'collation' must be an object");
}

/** TTL bounds as MongoDB has them: 0 to 2^31-1 seconds, one field, not `_id`. */
function parseExpiry(value: BsonValue | undefined, key: BsonDoc): number | undefined {
  if (value === undefined) return undefined;
  const seconds = asNumber(value);
  if (seconds === undefined || seconds < 0 || seconds > 0x7fff_ffff)
    fail('CannotCreateIndex', 'TTL index expireAfterSeconds option must be within 0 and 2147483647');
  if (key.size !== 1 || key.keys[0] === '_id')
    fail('CannotCreateIndex', 'TTL indexes are single-field indexes, compound indexes and _id do not support TTL');
  return seconds;
}

export function nameOfKey(key: BsonDoc): string {
  return key.keys.map((path, i) => `${path}_${asNumber(key.values[i]) ?? String(key.values[i])}`).join('_');
}

/** Whether two specifications ask for the same index (names apart). */
export function sameIndex(a: IndexSpec, b: IndexSpec): boolean {
  return (
    sameKey(a, b) &&
    sameFilter(a.declared, b.declared) &&
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
  const kinds = key.values.map((kind) => (typeof kind === 'string' ? kind : ''));
  return JSON.stringify(fieldsOf(key).map(({ path, direction }, at) => [path, direction, kinds[at]]));
}

function sameFilter(a: BsonDoc | undefined, b: BsonDoc | undefined): boolean {
  if (!a || !b) return a === b;
  return encodeDocument(a).equals(encodeDocument(b));
}

function describeDeclared({ name, key }: IndexSpec, declared: BsonDoc): BsonDoc {
  const doc = BsonDoc.of({ v: 2, key, name });
  for (const [option, value] of declared) if (!doc.has(option)) doc.append(option, value);
  return doc.append('served', false);
}

/** The specification as listIndexes shows it. */
export function describeIndex(spec: IndexSpec): BsonDoc {
  if (spec.declared) return describeDeclared(spec, spec.declared);
  const doc = BsonDoc.of({ v: 2, key: spec.key, name: spec.name });
  if (spec.unique) doc.append('unique', true);
  if (spec.sparse) doc.append('sparse', true);
  if (spec.partialFilter) doc.append('partialFilterExpression', spec.partialFilter);
  if (spec.collation) doc.append('collation', spec.collation.spec);
  if (spec.hidden) doc.append('hidden', true);
  if (spec.prepareUnique) doc.append('prepareUnique', true);
  if (spec.text) for (const [name, value] of describeText(spec.text)) doc.append(name, value);
  return doc.appendAll({ expireAfterSeconds: spec.expireAfterSeconds });
}
