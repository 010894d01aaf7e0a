import { BsonDoc, type BsonValue } from '../bson/value.js';
import { MongoError } from '../errors.js';
import { languageOf } from '../text/language.js';
import type { TextArguments } from '../text/text-query.js';

/** The arguments of `$text`. */
export function parseText(value: BsonValue): TextArguments {
  if (!(value instanceof BsonDoc)) throw new MongoError('TypeMismatch', '$text expects an object');
  const known = ['$search', '$language', '$caseSensitive', '$diacriticSensitive'];
  const unknown = value.keys.find((key) => !known.includes(key));
  if (unknown) throw new MongoError('BadValue', `extra fields in $text: ${unknown}`);
  const search = value.get('$search');
  if (typeof search !== 'string') throw new MongoError('TypeMismatch', '"$search" had the wrong type. Expected string');
  const language = value.get('$language');
  if (language !== undefined && typeof language !== 'string')
    throw new MongoError('TypeMismatch', '"$language" had the wrong type. Expected string');
  // An unknown language is an error of the filter.
  if (language !== undefined) languageOf(language);
  return {
    search,
    language,
    caseSensitive: flag(value, '$caseSensitive'),
    diacriticSensitive: flag(value, '$diacriticSensitive'),
  };
}

function flag(doc: BsonDoc, name: string): boolean {
  const value = doc.get(name) ?? false;
  if (typeof value !== 'boolean') throw new MongoError('TypeMismatch', `"${name}" had the wrong type. Expected bool`);
  return value;
}

/** The `$text` of a filter, at its top or in its `$and`s, where an index can answer it. */
export function textOf(filter: BsonDoc): TextArguments | undefined {
  const own = filter.get('$text');
  if (own !== undefined) return parseText(own);
  const all = filter.get('$and');
  if (!Array.isArray(all)) return undefined;
  for (const part of all) {
    const found = part instanceof BsonDoc ? textOf(part) : undefined;
    if (found) return found;
  }
  return undefined;
}
