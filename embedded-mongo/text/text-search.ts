import { parseSearch, type TextArguments, type TextQuery } from './text-query.js';
import { partsOf, scoresOf, type TextSpec } from './text-spec.js';
import { foldText, termOf, wordsOf } from './tokens.js';

/** One `$text` on the collection of one text index: what to look up, what matches, and how well. */
export class TextSearch {
  readonly query: TextQuery;

  constructor(
    readonly spec: TextSpec,
    given: TextArguments,
  ) {
    this.query = parseSearch(given, spec.defaultLanguage);
  }

  /** Any of the words, none of the excluded ones, all phrases, none of the excluded ones. */
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

  /** `$meta: 'textScore'`: the sum over the search's terms of what each counts in the document. */
  score(raw: Buffer): number {
    const scores = scoresOf(this.spec, raw);
    let sum = 0;
    for (const term of this.query.terms) sum += scores.get(term) ?? 0;
    return sum;
  }
}
