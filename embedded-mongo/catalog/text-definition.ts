import { BsonDoc, type BsonValue, toBson } from '../bson/value.js';
import { MongoError } from '../errors.js';
import { languageOf } from '../text/language.js';
import { type TextSpec, wholeDocument } from '../text/text-spec.js';
import { asNumber } from './bson-arguments.js';

/** Options only text indexes have. */
export const textOptions = ['weights', 'default_language', 'language_override', 'textIndexVersion'] as const;

const maxWeight = 99_999;

export function isTextKey(key: BsonDoc): boolean {
  return key.values.includes('text');
}

function cannot(message: string): MongoError {
  return new MongoError('CannotCreateIndex', message);
}

/** What a text index is made of: fields named in its key (or, stored, in `weights`), and its options. */
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
    if (name !== wholeDocument && name.includes('$')) throw cannot(`a text index cannot hold '${name}'`);
  }
  return { weights, defaultLanguage: languageOf(language).name, languageField: override, prefix };
}

function weightOf(name: string, value: BsonValue): number {
  const weight = asNumber(value);
  if (weight === undefined || weight < 1 || weight > maxWeight)
    throw cannot(`text index weight of '${name}' must be in the exclusive interval (0,${maxWeight + 1})`);
  return weight;
}

/** The key as MongoDB lists it: all text fields as one. */
export function textKeyPattern(key: BsonDoc): BsonDoc {
  const pattern = new BsonDoc();
  for (const [name, value] of key) {
    if (value !== 'text') {
      if (name !== '_ftsx') pattern.append(name, value);
    } else if (!pattern.has('_fts')) pattern.append('_fts', 'text').append('_ftsx', toBson(1));
  }
  return pattern;
}

/** The options as listIndexes shows them and the catalog keeps them. */
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
