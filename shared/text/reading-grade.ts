import { fleschKincaid } from 'flesch-kincaid';
import { syllable } from 'syllable';
import { spanishSyllables } from './spanish-syllables.js';

/** Languages that there is a measure of. */
type MeasuredLanguage = 'en' | 'es';

interface Counts {
  readonly sentence: number;
  readonly word: number;
  readonly syllable: number;
}

/**
 * The school grade of texts that are read together, to one decimal. English: Flesch-Kincaid. Spanish: the ease of
 * Fernández-Huerta, read on Flesch's scale of grades (Flesch 1949: 90–100 is grade 5, 80–90 6, 70–80 7, 60–70 8 to 9 …).
 * Words consist of letters: numbers, amounts and codes are not counted.
 */
export function readingGrade(texts: readonly string[], language: MeasuredLanguage): number {
  const counts = texts.map((text) => countsOf(text, language)).reduce(sum, NOTHING);
  if (counts.word === 0) return 0;
  const grade = language === 'en' ? fleschKincaid({ ...counts }) : gradeOfEase(fernandezHuerta(counts));
  return Math.max(0, Math.round(grade * 10) / 10);
}

/** Fernández-Huerta (1959), as corrected by Law: 206.84 − 60 syllables a word − 1.02 words a sentence. */
const fernandezHuerta = ({ sentence, word, syllable: syllables }: Counts): number =>
  206.84 - 60 * (syllables / word) - 1.02 * (word / sentence);

/** Middle of each band of ease, and its grade; between them it is a line. */
const FLESCH_SCALE: readonly (readonly [ease: number, grade: number])[] = [
  [95, 5],
  [85, 6],
  [75, 7],
  [65, 8.5],
  [55, 11],
  [40, 14],
  [15, 17],
];

export function gradeOfEase(ease: number): number {
  let [easier, lower] = [105, 4];
  for (const [harder, higher] of FLESCH_SCALE) {
    if (ease >= harder) return Math.max(0, lower + ((easier - ease) / (easier - harder)) * (higher - lower));
    [easier, lower] = [harder, higher];
  }
  return lower;
}

const NOTHING: Counts = { sentence: 0, word: 0, syllable: 0 };

const sum = (a: Counts, b: Counts): Counts => ({
  sentence: a.sentence + b.sentence,
  word: a.word + b.word,
  syllable: a.syllable + b.syllable,
});

const WORD = /\p{L}+(?:['’]\p{L}+)*/gu;
/** A point within an amount or an abbreviation such as 1.5 ends nothing. */
const SENTENCE_END = /[.!?]+(?=\s|$)/g;

function countsOf(text: string, language: MeasuredLanguage): Counts {
  const own = text.trim();
  const words = own.match(WORD) ?? [];
  if (words.length === 0) return NOTHING;
  const ends = own.match(SENTENCE_END)?.length ?? 0;
  return {
    sentence: ends + (/[.!?]$/.test(own) ? 0 : 1),
    word: words.length,
    syllable: words.reduce((total, word) => total + syllablesOf(word, language), 0),
  };
}

/** Of words that were counted before; texts are made of a few hundred. */
const KNOWN_WORDS = 20_000;
const known: Readonly<Record<MeasuredLanguage, Map<string, number>>> = { en: new Map(), es: new Map() };

function syllablesOf(word: string, language: MeasuredLanguage): number {
  const words = known[language];
  const before = words.get(word);
  if (before !== undefined) return before;
  const counted = language === 'en' ? Math.max(syllable(word), 1) : spanishSyllables(word);
  if (words.size < KNOWN_WORDS) words.set(word, counted);
  return counted;
}
