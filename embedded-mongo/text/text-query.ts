import { languageOf } from './language.js';
import { type Folding, folded, termOf, wordsOf } from './tokens.js';

/** The arguments of `$text`. */
export interface TextArguments extends Folding {
  readonly search: string;
  /** Undefined for the index's own. */
  readonly language: string | undefined;
}

/** A search, taken apart. */
export interface TextQuery extends Folding {
  /** Folded as the index folds, for looking up. */
  readonly terms: ReadonlySet<string>;
  /** The same folded as asked, for looking at documents. */
  readonly wanted: ReadonlySet<string>;
  readonly excluded: ReadonlySet<string>;
  readonly phrases: readonly string[];
  readonly excludedPhrases: readonly string[];
}

/**
 * Takes a search string apart as MongoDB does: words are alternatives, quoted phrases must all be there, and a hyphen
 * after white space (or at the beginning) excludes the word or phrase behind it.
 */
export function parseSearch(given: TextArguments, defaultLanguage: string): TextQuery {
  const language = languageOf(given.language ?? defaultLanguage);
  const folding = { caseSensitive: given.caseSensitive, diacriticSensitive: given.diacriticSensitive };
  const terms = new Set<string>();
  const wanted = new Set<string>();
  const excluded = new Set<string>();
  const phrases: string[] = [];
  const excludedPhrases: string[] = [];
  const add = (text: string) => {
    for (const word of wordsOf(text, language)) {
      const term = termOf(word, language, folded);
      if (term === undefined) continue;
      terms.add(term);
      wanted.add(termOf(word, language, folding) ?? term);
    }
  };
  // A phrase, or a run of what is neither white space nor a quote; each perhaps with a hyphen before it.
  for (const [, sign, phrase, run] of given.search.matchAll(/(?<=^|\s|")(-?)(?:"([^"]*)"?|([^\s"]+))/gu)) {
    if (phrase !== undefined) {
      if (sign) excludedPhrases.push(phrase);
      else {
        phrases.push(phrase);
        add(phrase);
      }
    } else if (sign) {
      // `-a-b` excludes a; what follows the next delimiter is searched for again.
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
