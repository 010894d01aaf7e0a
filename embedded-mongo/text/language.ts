import { createRequire } from 'node:module';
import { fail } from '../errors.js';

/** The stop words and the stemmer of a language. */
export interface Language {
  readonly name: string;
  readonly isStopWord: (lowerCase: string) => boolean;
  readonly stem: (word: string) => string;
  /** English keeps the apostrophe within words ("don't"), as MongoDB's tokenizer does. */
  readonly keepsApostrophe: boolean;
}

interface Stemmer {
  stem(word: string): string;
}
interface StemmerModule {
  newStemmer(algorithm: string): Stemmer;
}

/** Languages of MongoDB's text index version 3: ISO 639-1 code and the name of the stop word list in `stopword`. */
const LANGUAGES: Readonly<Record<string, { readonly code: string; readonly list: string }>> = {
  danish: { code: 'da', list: 'dan' },
  dutch: { code: 'nl', list: 'nld' },
  english: { code: 'en', list: '' },
  finnish: { code: 'fi', list: 'fin' },
  french: { code: 'fr', list: 'fra' },
  german: { code: 'de', list: 'deu' },
  hungarian: { code: 'hu', list: 'hun' },
  italian: { code: 'it', list: 'ita' },
  norwegian: { code: 'nb', list: 'nob' },
  portuguese: { code: 'pt', list: 'por' },
  romanian: { code: 'ro', list: 'ron' },
  russian: { code: 'ru', list: 'rus' },
  spanish: { code: 'es', list: 'spa' },
  swedish: { code: 'sv', list: 'swe' },
  turkish: { code: 'tr', list: 'tur' },
};

const NONE: Language = { name: 'none', isStopWord: () => false, stem: (word) => word, keepsApostrophe: false };

const made = new Map<string, Language>();

/** Resolves a name or code in any letter case. @returns undefined for an unknown language. */
function nameOf(given: string): string | undefined {
  const wanted = given.toLowerCase();
  if (wanted === 'none' || LANGUAGES[wanted]) return wanted;
  return Object.keys(LANGUAGES).find((name) => LANGUAGES[name]?.code === wanted);
}

export function isLanguage(given: string): boolean {
  return nameOf(given) !== undefined;
}

/** Loads word lists and rules with the first text index, because most servers have none. */
export function languageOf(given: string): Language {
  const name = nameOf(given) ?? fail(17262, `unsupported language: "${given}" for text index version 3`);
  if (name === 'none') return NONE;
  const ready = made.get(name) ?? make(name, LANGUAGES[name]?.list ?? '');
  made.set(name, ready);
  return ready;
}

/** CommonJS modules, loaded at first use. */
const load = createRequire(import.meta.url);

function stopWordsOf(list: string): ReadonlySet<string> {
  const lists: Readonly<Record<string, readonly string[]>> = load('stopword');
  return new Set(lists[list]);
}

function make(name: string, list: string): Language {
  const stemmers: StemmerModule = load('snowball-stemmers');
  const stemmer = stemmers.newStemmer(name);
  const words = name === 'english' ? ENGLISH_STOP_WORDS : stopWordsOf(list);
  return {
    name,
    isStopWord: (word) => words.has(word),
    stem: (word) => stemmer.stem(word),
    keepsApostrophe: name === 'english',
  };
}

/** The Snowball project's list for English, the one MongoDB's text index uses. */
const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it
  its itself they them their theirs themselves what which who whom this that these those am is are was were be been
  being have has had having do does did doing would should could ought i'm you're he's she's it's we're they're i've
  you've we've they've i'd you'd he'd she'd we'd they'd i'll you'll he'll she'll we'll they'll isn't aren't wasn't
  weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't shan't shouldn't can't cannot couldn't mustn't
  let's that's who's what's here's there's when's where's why's how's a an the and but if or because as until while of
  at by for with about against between into through during before after above below to from up down in out on off over
  under again further then once here there when where why how all any both each few more most other some such no nor
  not only own same so than too very`.split(/\s+/),
);

/** Whether a comparison distinguishes letter case and diacritical marks. */
export interface Folding {
  readonly caseSensitive: boolean;
  readonly diacriticSensitive: boolean;
}

export const FOLDED: Folding = { caseSensitive: false, diacriticSensitive: false };

/** Delimiters of MongoDB's text index version 3, by Unicode properties. */
const DELIMITERS = /[\p{White_Space}\p{Dash}\p{Pattern_Syntax}\p{Quotation_Mark}\p{Terminal_Punctuation}]+/u;
const DELIMITERS_WITHOUT_APOSTROPHE =
  /(?:(?!')[\p{White_Space}\p{Dash}\p{Pattern_Syntax}\p{Quotation_Mark}\p{Terminal_Punctuation}])+/u;

/** Splits a text into words without changing them. */
export function wordsOf(text: string, language: Language): string[] {
  const split = language.keepsApostrophe ? DELIMITERS_WITHOUT_APOSTROPHE : DELIMITERS;
  return text.split(split).filter((word) => word !== '');
}

/** The stem of a word without marks. @returns undefined for a stop word. */
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

/** Folds a text for the comparison of phrases. */
export function foldText(text: string, { caseSensitive, diacriticSensitive }: Folding): string {
  const cased = caseSensitive ? text : text.toLowerCase();
  return diacriticSensitive ? cased : withoutMarks(cased);
}

function withoutMarks(text: string): string {
  // Plain ASCII has no marks.
  return /[^\0-\x7f]/.test(text)
    ? text
        .normalize('NFD')
        .replace(/\p{Diacritic}/gu, '')
        .normalize('NFC')
    : text;
}
