import { createRequire } from 'node:module';

interface Stemmer {
  stem(word: string): string;
}

/** A word always has the same stem: a few thousand words are most of all look-ups. */
const MAX_KEPT = 50_000;
const PLAIN = /^[a-z]+(?:'[a-z]+)*$/;

/** Words of this field that the rules of English leave apart from the verb they belong to. */
const RELATED: Readonly<Record<string, string>> = { denial: 'denied', denials: 'denied' };

let stemmer: Stemmer | undefined;
const kept = new Map<string, string>();

/**
 * The English stem of a folded word (Snowball), so that `denied`, `denies` and `denying` are one. Whatever is not written
 * in plain letters — codes, numbers, other scripts — stays what it is.
 */
export function stemOf(word: string): string {
  const known = kept.get(word);
  if (known !== undefined) return known;
  if (!PLAIN.test(word)) return word;
  stemmer ??= makeStemmer();
  const bare = word.replace(/'s$/, '').replaceAll("'", '');
  const stem = stemmer.stem(RELATED[bare] ?? bare);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(word, stem);
  return stem;
}

/** Loaded with the first word: processes that search nothing need it not. */
function makeStemmer(): Stemmer {
  const load = createRequire(import.meta.url);
  const module: { newStemmer(algorithm: string): Stemmer } = load('snowball-stemmers');
  return module.newStemmer('english');
}
