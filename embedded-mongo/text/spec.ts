import { decodeRef } from '../bson/decode.js';
import { asNumber } from '../bson/number.js';
import { ElementCursor, findPath, type RawRef } from '../bson/raw.js';
import { BsonDoc, type BsonValue, T, toBson } from '../bson/value.js';
import { fail, MongoError } from '../errors.js';
import { encodeKey } from '../keystring/encode.js';
import type { IndexKeys } from '../keystring/extract.js';
import { FOLDED, isLanguage, type Language, languageOf, termOf, wordsOf } from './language.js';

/** The fields, weights and languages of a text index. */
export interface TextSpec {
  /** Fields with their weights; `$**` is every string of the document. */
  readonly weights: ReadonlyMap<string, number>;
  readonly defaultLanguage: string;
  /** The field of a document or sub-document that names its language. */
  readonly languageField: string;
  /** Leading fields, for which a query must give equalities. */
  readonly prefix: readonly string[];
}

const WHOLE_DOCUMENT = '$**';

/** A string of a document, with its weight and language. */
interface TextPart {
  readonly text: string;
  readonly weight: number;
  readonly language: Language;
}

/** Yields every indexed string; each array element is a separate string. */
export function* partsOf(spec: TextSpec, raw: Buffer): Generator<TextPart, undefined, undefined> {
  yield* walk(spec, raw, 0, '', spec.defaultLanguage);
  return undefined;
}

function* walk(
  spec: TextSpec,
  raw: Buffer,
  start: number,
  path: string,
  inherited: string,
): Generator<TextPart, undefined, undefined> {
  const language = languageIn(spec, raw, start) ?? inherited;
  const cursor = new ElementCursor(raw, start);
  while (cursor.next()) {
    const here = path === '' ? cursor.name : `${path}.${cursor.name}`;
    yield* value(spec, raw, cursor.type, cursor.valueStart, cursor.valueEnd, here, language);
  }
  return undefined;
}

function* value(
  spec: TextSpec,
  raw: Buffer,
  type: number,
  start: number,
  end: number,
  path: string,
  language: string,
): Generator<TextPart, undefined, undefined> {
  if (type === T.string) {
    const weight = spec.weights.get(path) ?? spec.weights.get(WHOLE_DOCUMENT);
    if (weight !== undefined)
      yield { text: raw.toString('utf8', start + 4, end - 1), weight, language: languageOf(language) };
  } else if (type === T.object) {
    if (leadsSomewhere(spec, path)) yield* walk(spec, raw, start, path, language);
  } else if (type === T.array) {
    const cursor = new ElementCursor(raw, start);
    while (cursor.next()) {
      // MongoDB does not index an array within an array.
      if (cursor.type !== T.array)
        yield* value(spec, raw, cursor.type, cursor.valueStart, cursor.valueEnd, path, language);
    }
  }
  return undefined;
}

function leadsSomewhere({ weights }: TextSpec, path: string): boolean {
  if (weights.has(WHOLE_DOCUMENT)) return true;
  for (const field of weights.keys()) if (field.startsWith(`${path}.`)) return true;
  return false;
}

function languageIn({ languageField }: TextSpec, raw: Buffer, start: number): string | undefined {
  const found: RawRef | undefined = findPath(raw, languageField, start);
  if (found?.type !== T.string) return undefined;
  const named = raw.toString('utf8', found.start + 4, found.end - 1);
  return isLanguage(named) ? named : languageOf(named).name;
}

/**
 * Computes the score of each term of a document by MongoDB's formula (fts_spec.cpp). A term counts 1 the first time, a
 * half the second, a quarter the third. Fields with few words count more, and a field that equals the term a tenth more.
 * The field's weight multiplies the sum.
 */
export function scoresOf(spec: TextSpec, raw: Buffer): Map<string, number> {
  const scores = new Map<string, number>();
  for (const { text, weight, language } of partsOf(spec, raw)) {
    const terms = new Map<string, { count: number; frequency: number; next: number }>();
    let total = 0;
    for (const word of wordsOf(text, language)) {
      const term = termOf(word, language, FOLDED);
      if (term === undefined) continue;
      total += 1;
      const seen = terms.get(term) ?? { count: 0, frequency: 0, next: 1 };
      seen.count += 1;
      seen.frequency += seen.next;
      seen.next /= 2;
      terms.set(term, seen);
    }
    for (const [term, { count, frequency }] of terms) {
      const coefficient = (0.5 * count) / total + 0.5;
      const exact = text.length === term.length && text.toLowerCase() === term ? 1.1 : 1;
      scores.set(term, (scores.get(term) ?? 0) + weight * frequency * coefficient * exact);
    }
  }
  return scores;
}

/** The keys of a document in a text index: its leading fields, then a term. A document without words has none. */
export function textKeys(spec: TextSpec, raw: Buffer): IndexKeys {
  const prefix = spec.prefix.map((path) => prefixValue(raw, path));
  const keys = [...scoresOf(spec, raw).keys()].map((term) => textKey(prefix, term)).sort(Buffer.compare);
  return { keys, multikey: true, arrayFields: 0 };
}

export function textKey(prefix: readonly (BsonValue | undefined)[], term: string): Buffer {
  return encodeKey(
    [...prefix, term],
    [...prefix, term].map(() => 1),
  );
}

function prefixValue(raw: Buffer, path: string): BsonValue | undefined {
  const found = findPath(raw, path);
  if (found?.type === T.array) fail(17261, `field '${path}' of text index contains an array in document`);
  return found && decodeRef(found);
}

/** Options of text indexes alone. */
export const TEXT_OPTIONS = ['weights', 'default_language', 'language_override', 'textIndexVersion'] as const;

const MAX_WEIGHT = 99_999;

export function isTextKey(key: BsonDoc): boolean {
  return key.values.includes('text');
}

function cannot(message: string): MongoError {
  return new MongoError('CannotCreateIndex', message);
}

/** Parses the fields (named in the key or, when stored, in `weights`) and the options of a text index. */
export function parseTextSpec(doc: BsonDoc, key: BsonDoc): TextSpec {
  const names = key.keys.filter((name, i) => key.values[i] === 'text' && name !== '_fts');
  const first = key.values.indexOf('text');
  const weights = new Map(names.map((name) => [name, 1]));
  const given = doc.get('weights');
  if (given instanceof BsonDoc) for (const [name, weight] of given) weights.set(name, weightOf(name, weight));
  else if (typeof given === 'string') weights.set(given, 1);
  if (weights.size === 0) throw cannot('a text index needs at least one field');
  const version = asNumber(doc.get('textIndexVersion'));
  if (version !== undefined && version !== 3) throw cannot(`text index version ${version} is not supported, only 3`);
  const language = doc.get('default_language') ?? 'english';
  const override = doc.get('language_override') ?? 'language';
  if (typeof language !== 'string' || typeof override !== 'string')
    throw cannot('text index languages must be strings');
  const prefix = key.keys.slice(0, first);
  for (const name of [...weights.keys(), ...prefix]) {
    if (name !== WHOLE_DOCUMENT && name.includes('$')) throw cannot(`a text index cannot hold '${name}'`);
  }
  return { weights, defaultLanguage: languageOf(language).name, languageField: override, prefix };
}

function weightOf(name: string, value: BsonValue): number {
  const weight = asNumber(value);
  if (weight === undefined || weight < 1 || weight > MAX_WEIGHT)
    throw cannot(`text index weight of '${name}' must be in the exclusive interval (0,${MAX_WEIGHT + 1})`);
  return weight;
}

/** The key as MongoDB lists it, with all text fields as one. */
export function textKeyPattern(key: BsonDoc): BsonDoc {
  const pattern = new BsonDoc();
  for (const [name, value] of key) {
    if (value !== 'text') {
      if (name !== '_ftsx') pattern.append(name, value);
    } else if (!pattern.has('_fts')) pattern.append('_fts', 'text').append('_ftsx', toBson(1));
  }
  return pattern;
}

/** The options as listIndexes shows them and the catalog stores them. */
export function describeText({ weights, defaultLanguage, languageField }: TextSpec): BsonDoc {
  const sorted = [...weights].sort(([a], [b]) => (a < b ? -1 : 1));
  return BsonDoc.of({
    weights: new BsonDoc(
      sorted.map(([name]) => name),
      sorted.map(([, weight]) => toBson(weight)),
    ),
    default_language: defaultLanguage,
    language_override: languageField,
    textIndexVersion: 3,
  });
}
