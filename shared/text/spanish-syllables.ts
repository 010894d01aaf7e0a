// Syllables of a Spanish word by its spelling (Ortografía de la lengua española, 2010, "diptongos" and "hiatos"): a, e and o
// are a nucleus each; i and u are one only where they carry an accent or stand with no other vowel.

const VOWEL_GROUP = /[aeiouáéíóúü]+/g;
const STRONG = new Set('aeoáéó');
const ACCENTED_WEAK = new Set('íú');

/** Counts syllables, at least one. @param word in any case; other characters than letters do not count. */
export function spanishSyllables(word: string): number {
  const letters = word
    .toLowerCase()
    .normalize('NFC')
    // The u of que, qui, gue and gui is silent; y is a vowel at the end of a word.
    .replace(/qu(?=[eéií])/g, 'q')
    .replace(/gu(?=[eéií])/g, 'g')
    .replace(/y(?![\p{L}])/gu, 'i');
  let count = 0;
  for (const [group] of letters.matchAll(VOWEL_GROUP)) count += nucleiOf(group);
  return Math.max(count, 1);
}

function nucleiOf(group: string): number {
  let nuclei = 0;
  for (const vowel of group) if (STRONG.has(vowel) || ACCENTED_WEAK.has(vowel)) nuclei++;
  return Math.max(nuclei, 1);
}
