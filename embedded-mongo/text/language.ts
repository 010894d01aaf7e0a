import { createRequire } from 'node:module';
import { MongoError } from '../errors.js';
import { englishStopWords } from './english-stop-words.js';

/** What a language does to words: which it leaves out, and what it cuts them down to. */
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

/** Languages of MongoDB's text index version 3: ISO 639-1 code, and the name of the list of stop words. */
const known: Readonly<Record<string, { readonly code: string; readonly list: string }>> = {
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

const none: Language = { name: 'none', isStopWord: () => false, stem: (word) => word, keepsApostrophe: false };

const made = new Map<string, Language>();

/** The name a language goes by: itself or its code, in any case; undefined for what is not known. */
function nameOf(given: string): string | undefined {
  const wanted = given.toLowerCase();
  if (wanted === 'none' || known[wanted]) return wanted;
  return Object.keys(known).find((name) => known[name]?.code === wanted);
}

export function isLanguage(given: string): boolean {
  return nameOf(given) !== undefined;
}

/** Words and rules are loaded with the first text index: most servers have none. */
export function languageOf(given: string): Language {
  const name = nameOf(given);
  if (!name) throw new MongoError(17262, `unsupported language: "${given}" for text index version 3`);
  if (name === 'none') return none;
  const ready = made.get(name) ?? make(name, known[name]?.list ?? '');
  made.set(name, ready);
  return ready;
}

function make(name: string, list: string): Language {
  const load = createRequire(import.meta.url);
  const stemmer = (load('snowball-stemmers') as StemmerModule).newStemmer(name);
  const words =
    name === 'english' ? englishStopWords : new Set((load('stopword') as Record<string, readonly string[]>)[list]);
  return {
    name,
    isStopWord: (word) => words.has(word),
    stem: (word) => stemmer.stem(word),
    keepsApostrophe: name === 'english',
  };
}
