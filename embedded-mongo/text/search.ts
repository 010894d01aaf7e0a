import { BsonDoc, type BsonValue } from '../bson/value.js';
import { fail } from '../errors.js';
import { FOLDED, type Folding, foldText, languageOf, termOf, wordsOf } from './language.js';
import { partsOf, scoresOf, type TextSpec } from './spec.js';

/** Parses the arguments of `$text`. */
export function parseText(value: BsonValue): TextArguments {
  if (!(value instanceof BsonDoc)) fail('TypeMismatch', '$text expects an object');
  const known = ['$search', '$language', '$caseSensitive', '$diacriticSensitive'];
  const unknown = value.keys.find((key) => !known.includes(key));
  if (unknown) fail('BadValue', `extra fields in $text: ${unknown}`);
  const search = value.get('$search');
  if (typeof search !== 'string') fail('TypeMismatch', '"$search" had the wrong type. Expected string');
  const language = value.get('$language');
  if (language !== undefined && typeof language !== 'string')
    fail('TypeMismatch', '"$language" had the wrong type. Expected string');
  // An unknown language is an error in the filter.
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
  if (typeof value !== 'boolean') fail('TypeMismatch', `"${name}" had the wrong type. Expected bool`);
  return value;
}

/** Returns the `$text` of a filter, at its top or in its `$and`, where an index can answer it. */
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

/** The arguments of `$text`. */
export interface TextArguments extends Folding {
  readonly search: string;
  /** Undefined uses the default language of the index. */
  readonly language: string | undefined;
}

/** A parsed search string. */
interface TextQuery extends Folding {
  /** The terms as the index folds them, for its keys. */
  readonly terms: ReadonlySet<string>;
  /** The terms as the query folds them, for matching documents. */
  readonly wanted: ReadonlySet<string>;
  readonly excluded: ReadonlySet<string>;
  readonly phrases: readonly string[];
  readonly excludedPhrases: readonly string[];
}

/**
 * Parses a search string by MongoDB's rules: words are alternatives, all quoted phrases are required, and a hyphen after
 * white space or at the start excludes the word or phrase that follows.
 */
function parseSearch(given: TextArguments, defaultLanguage: string): TextQuery {
  const language = languageOf(given.language ?? defaultLanguage);
  const folding = { caseSensitive: given.caseSensitive, diacriticSensitive: given.diacriticSensitive };
  const terms = new Set<string>();
  const wanted = new Set<string>();
  const excluded = new Set<string>();
  const phrases: string[] = [];
  const excludedPhrases: string[] = [];
  const add = (text: string) => {
    for (const word of wordsOf(text, language)) {
      const term = termOf(word, language, FOLDED);
      if (term === undefined) continue;
      terms.add(term);
      wanted.add(termOf(word, language, folding) ?? term);
    }
  };
  // A phrase, or a run without white space and quotes, each with an optional hyphen.
  for (const [, sign, phrase, run] of given.search.matchAll(/(?<=^|\s|")(-?)(?:"([^"]*)"?|([^\s"]+))/gu)) {
    if (phrase !== undefined) {
      if (sign) excludedPhrases.push(phrase);
      else {
        phrases.push(phrase);
        add(phrase);
      }
    } else if (sign) {
      // `-a-b` excludes a and searches for b.
      const [first, ...others] = wordsOf(run ?? '', language);
      const term = first === undefined ? undefined : termOf(first, language, folding);
      if (term !== undefined) excluded.add(term);
      add(others.join(' '));
    } else add(run ?? '');
  }
  return {
    ...folding,
    terms,
    wanted,
    excluded,
    phrases: phrases.filter(Boolean),
    excludedPhrases: excludedPhrases.filter(Boolean),
  };
}

/** One `$text` query on a text index: the terms to find, the match and the score. */
export class TextSearch {
  readonly query: TextQuery;

  constructor(
    readonly spec: TextSpec,
    given: TextArguments,
  ) {
    this.query = parseSearch(given, spec.defaultLanguage);
  }

  /** Whether a document has any of the words, all phrases, and no excluded word or phrase. */
  matches(raw: Buffer): boolean {
    const { query } = this;
    const missing = new Set(query.phrases.map((phrase) => foldText(phrase, query)));
    let found = false;
    for (const { text, language } of partsOf(this.spec, raw)) {
      if (missing.size > 0 || query.excludedPhrases.length > 0) {
        const folded = foldText(text, query);
        for (const phrase of missing) if (folded.includes(phrase)) missing.delete(phrase);
        if (query.excludedPhrases.some((phrase) => folded.includes(foldText(phrase, query)))) return false;
      }
      for (const word of wordsOf(text, language)) {
        const term = termOf(word, language, query);
        if (term === undefined) continue;
        if (query.excluded.has(term)) return false;
        found ||= query.wanted.has(term);
      }
    }
    return found && missing.size === 0;
  }

  /** `$meta: 'textScore'`: the sum of the document's scores for the terms of the search. */
  score(raw: Buffer): number {
    const scores = scoresOf(this.spec, raw);
    let sum = 0;
    for (const term of this.query.terms) sum += scores.get(term) ?? 0;
    return sum;
  }
}
