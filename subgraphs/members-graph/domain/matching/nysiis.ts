const VOWELS = 'AEIOU';

// Openings and endings, each replaced once (Taft 1970, "Name Search Techniques").
const OPENINGS: readonly (readonly [RegExp, string])[] = [
  [/^MAC/, 'MCC'],
  [/^KN/, 'NN'],
  [/^K/, 'C'],
  [/^(?:PH|PF)/, 'FF'],
  [/^SCH/, 'SSS'],
];
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/(?:EE|IE)$/, 'Y'],
  [/(?:DT|RT|RD|NT|ND)$/, 'D'],
];

/**
 * The New York State Identification and Intelligence System's code of a name: names that sound alike have one code.
 * Letters a–z only; '' for a name without any. The code is not cut to six letters.
 */
export function nysiis(name: string): string {
  let text = name.toUpperCase().replace(/[^A-Z]/g, '');
  if (text === '') return '';
  for (const [pattern, put] of OPENINGS) text = text.replace(pattern, put);
  for (const [pattern, put] of ENDINGS) text = text.replace(pattern, put);
  let code = text[0] ?? '';
  for (let index = 1; index < text.length; ) {
    const [put, length] = codeAt(text, index, code);
    for (const letter of put) if (!code.endsWith(letter)) code += letter;
    index += length;
  }
  const ended = code.replace(/S$/, '').replace(/AY$/, 'Y').replace(/A$/, '');
  return ended === '' ? code.slice(0, 1) : ended;
}

/** What stands for the letter, and how many letters it is made of. */
function codeAt(text: string, index: number, code: string): readonly [string, number] {
  const letter = text[index] ?? '';
  const next = text[index + 1] ?? '';
  const before = text[index - 1] ?? '';
  const last = code.at(-1) ?? '';
  if (text.startsWith('EV', index)) return ['AF', 2];
  if (text.startsWith('SCH', index)) return ['S', 3];
  if (text.startsWith('PH', index)) return ['F', 2];
  if (VOWELS.includes(letter)) return ['A', 1];
  if (letter === 'K') return [next === 'N' ? 'N' : 'C', 1];
  if (letter === 'H' && (!isVowel(before) || !isVowel(next))) return [last, 1];
  if (letter === 'W' && isVowel(before)) return [last, 1];
  return [SINGLES[letter] ?? letter, 1];
}

const SINGLES: Readonly<Record<string, string>> = { Q: 'G', Z: 'S', M: 'N' };
const isVowel = (letter: string): boolean => letter !== '' && VOWELS.includes(letter);
