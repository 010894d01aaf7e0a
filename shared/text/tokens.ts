import { stemOf } from './stems.js';

// Tokenises indexed text and queries in the same way: events now, other records later.

/** A word or a number of a text. */
export interface Token {
  /** Folded: lower case, compatibility forms and marks taken away. */
  readonly text: string;
  /** Place in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** True if only one of `. - _ /` separates the token from the one before: together they are one identifier. */
  readonly glued: boolean;
  /** True if the separator is `/`. Systems join identifiers with it, and each part is an identifier. */
  readonly slashed: boolean;
}

// Marks count as parts of words, so that folding can take them away without moving any other token.
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
/** The same where a text is all ASCII, which nearly all are: several times faster. */
const PLAIN_WORD = /[A-Za-z0-9]+(?:'[A-Za-z]+)*/g;
const NO_WORD = /[^\p{L}\p{N}']/gu;
const GLUE = /^[.\-_/]$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches the whole of ASCII
const ASCII = /^[\x00-\x7f]*$/;
const LETTER = /\p{L}/u;

/** Longer ones (hashes, encodings) are compared by their beginning. */
const MAX_TOKEN_LENGTH = 64;

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let lastEnd = -1;
  for (const match of text.matchAll(ASCII.test(text) ? PLAIN_WORD : WORD)) {
    const [word] = match;
    const start = match.index;
    const folded = foldWord(word);
    if (folded === '') continue;
    const glued = lastEnd > 0 && start - lastEnd === 1 && GLUE.test(text[lastEnd] ?? '');
    const slashed = glued && text[lastEnd] === '/';
    tokens.push({ text: folded, start, end: start + word.length, glued, slashed });
    lastEnd = start + word.length;
  }
  return tokens;
}

function foldWord(word: string): string {
  const folded = ASCII.test(word) ? word.toLowerCase() : foldUnicode(word);
  return folded.length > MAX_TOKEN_LENGTH ? folded.slice(0, MAX_TOKEN_LENGTH) : folded;
}

/** Removes marks last: lower case may add some (İ). So may a compatibility form: ⑴ becomes 1. */
const foldUnicode = (word: string): string =>
  word.normalize('NFKD').toLowerCase().replaceAll('’', "'").replace(NO_WORD, '');

/** An identifier of several parts, as if it had been written without what parts them: M25.561 and M25561 are one code. */
interface Code {
  readonly text: string;
  /** Its tokens, by place in the list. */
  readonly first: number;
  readonly last: number;
}

/**
 * Runs of glued tokens that hold a letter, and the parts of each between slashes, the whole first. Numbers alone (dates,
 * amounts) lose their meaning without their points.
 */
export function codesOf(tokens: readonly Token[]): Code[] {
  const codes: Code[] = [];
  const add = (first: number, last: number): void => {
    let text = '';
    for (let at = first; at <= last; at++) text += tokens[at]?.text ?? '';
    if (last > first && text.length <= MAX_TOKEN_LENGTH && LETTER.test(text)) codes.push({ text, first, last });
  };
  for (let first = 0; first < tokens.length; ) {
    const last = endOfRun(tokens, first, ({ glued }) => glued);
    add(first, last);
    for (let part = first; part <= last; ) {
      const end = endOfRun(tokens, part, ({ glued, slashed }) => glued && !slashed);
      if (part > first || end < last) add(part, end);
      part = end + 1;
    }
    first = last + 1;
  }
  return codes;
}

/** The last token that belongs to the one at `first`. */
export function endOfRun(tokens: readonly Token[], first: number, belongs: (token: Token) => boolean): number {
  let last = first;
  for (let next = tokens[last + 1]; next && belongs(next); next = tokens[last + 1]) last += 1;
  return last;
}

/** Words in nearly every text, without meaning for a search. "no" and "not" are not among them: a denial's reason needs them. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by for from had has have if in into is it its of on or such than that the their ' +
    'then there these they this to was were which will with'
  ).split(' '),
);

const isStopWord = (folded: string): boolean => STOP_WORDS.has(folded);

/** What a word is found by; undefined for words that are not looked for. */
export const termOf = ({ text }: Pick<Token, 'text'>): string | undefined =>
  isStopWord(text) ? undefined : stemOf(text);
