import type { Language } from './language.js';

/** Whether letters of another case, or with other marks, are the same. */
export interface Folding {
  readonly caseSensitive: boolean;
  readonly diacriticSensitive: boolean;
}

export const folded: Folding = { caseSensitive: false, diacriticSensitive: false };

/** Delimiters of MongoDB's text index version 3, by Unicode properties. */
const delimiters = /[\p{White_Space}\p{Dash}\p{Pattern_Syntax}\p{Quotation_Mark}\p{Terminal_Punctuation}]+/u;
const delimitersButApostrophe =
  /(?:(?!')[\p{White_Space}\p{Dash}\p{Pattern_Syntax}\p{Quotation_Mark}\p{Terminal_Punctuation}])+/u;

/** The words of a text, as they stand. */
export function wordsOf(text: string, language: Language): string[] {
  const split = language.keepsApostrophe ? delimitersButApostrophe : delimiters;
  return text.split(split).filter((word) => word !== '');
}

/** A word as an index keeps it: stemmed, then without marks; undefined for a stop word. */
export function termOf(
  word: string,
  language: Language,
  { caseSensitive, diacriticSensitive }: Folding,
): string | undefined {
  const lower = word.toLowerCase();
  if (language.isStopWord(lower)) return undefined;
  const stem = language.stem(caseSensitive ? word : lower);
  return diacriticSensitive ? stem : withoutMarks(stem);
}

/** Text for comparing phrases. */
export function foldText(text: string, { caseSensitive, diacriticSensitive }: Folding): string {
  const cased = caseSensitive ? text : text.toLowerCase();
  return diacriticSensitive ? cased : withoutMarks(cased);
}

function withoutMarks(text: string): string {
  // Plain ASCII has none.
  return /[^\0-\x7f]/.test(text)
    ? text
        .normalize('NFD')
        .replace(/\p{Diacritic}/gu, '')
        .normalize('NFC')
    : text;
}
