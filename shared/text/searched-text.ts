import { codesOf, type Token, termOf, tokensOf } from './tokens.js';

/** A text of a record, and how much a finding in it is worth. */
export interface WeightedText {
  readonly text: string;
  /** A whole number from 1. */
  readonly weight: number;
}

/** What a record is found by. */
interface SearchedText {
  /** Distinct; words by their stem, codes as one. */
  readonly terms: readonly string[];
  /** Of each term: how often it occurs, times the weight of where. */
  readonly weights: readonly number[];
  /** The folded words in their order, for phrases: see `holdsPhrase`. */
  readonly words: string;
  /** Words in all. */
  readonly length: number;
}

/** Separates texts, so that no phrase spans two; no token looks like it. */
const BETWEEN = '|';

export function searchedText(texts: readonly WeightedText[]): SearchedText {
  const weights = new Map<string, number>();
  const add = (term: string, weight: number): void => void weights.set(term, (weights.get(term) ?? 0) + weight);
  const words: string[] = [BETWEEN];
  let length = 0;
  for (const { text, weight } of texts) {
    const tokens = tokensOf(text);
    if (tokens.length === 0) continue;
    for (const token of tokens) {
      words.push(token.text);
      const term = termOf(token);
      if (term !== undefined) add(term, weight);
    }
    for (const code of codesOf(tokens)) add(code.text, weight);
    words.push(BETWEEN);
    length += tokens.length;
  }
  return { terms: [...weights.keys()], weights: [...weights.values()], words: words.join(' '), length };
}

/** Whether the words stand next to each other in this order within one text. */
export const holdsPhrase = (words: string, phrase: readonly string[]): boolean =>
  words.includes(` ${phrase.join(' ')} `);

/** Whether tokens from `at` on are the phrase. */
export const phraseAt = (tokens: readonly Token[], at: number, phrase: readonly string[]): boolean =>
  phrase.every((word, i) => tokens[at + i]?.text === word);
