/** What stands in place of hidden words in plain text: always the same, so that their length is not told. */
export const HIDDEN_WORDS = '█████';

/** Half-open range of a text, in UTF-16 units. */
export interface TermPlace {
  readonly start: number;
  readonly end: number;
  /** Which of the terms it is. */
  readonly term: number;
}

/** A text as terms are compared with it, and where each of its units stood before. */
interface Folded {
  readonly text: string;
  readonly places: readonly number[];
}

const MARKS = /\p{M}/gu;
const DROPPED = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
const SOFT_HYPHEN = '\u00ad';
const QUOTES = /[’ʼ′]/g;
const DASHES = /[‐‑‒–—−]/g;

/** Case, compatibility forms, marks, soft hyphens and kinds of dashes make no difference: rather too much than too little. */
const foldOne = (character: string): string =>
  character
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(DROPPED, '')
    .replace(QUOTES, "'")
    .replace(DASHES, '-')
    .toLowerCase();

function folded(text: string): Folded {
  let out = '';
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    // At the end of a line it is the hyphen that parts the word, elsewhere nothing is seen of it.
    const parts = character === SOFT_HYPHEN && /\s/.test(text[at + 1] ?? '');
    const one = parts ? '-' : foldOne(character);
    for (let i = 0; i < one.length; i++) places.push(at);
    out += one;
    at += character.length;
  }
  places.push(at);
  return { text: out, places };
}

const ESCAPED = /[.*+?^${}()|[\]\\/]/g;
/** A word may be parted at the end of a line, spaces behind the hyphen or not; one with a dash of its own behind that. */
const PARTED = '(?:-\\s+)?';
const DASH = '-\\s*';

const unitExpression = (unit: string): string => (unit === '-' ? DASH : unit.replace(ESCAPED, '\\$&'));

/** Whole words, in any case, literally; white space stands for any white space. */
function expressionOf(term: string): RegExp {
  const words = [...folded(term).text.trim()]
    .map((unit) => (/\s/.test(unit) ? ' ' : unit))
    .join('')
    .split(/ +/);
  const body = words.map((word) => [...word].map(unitExpression).join(PARTED)).join('\\s+');
  return new RegExp(`(?<![\\p{L}\\p{N}])${body}(?![\\p{L}\\p{N}])`, 'giu');
}

/** Of a list of terms that many texts are searched for: one page is many. */
const EXPRESSIONS = new WeakMap<readonly string[], readonly RegExp[]>();

function expressionsOf(terms: readonly string[]): readonly RegExp[] {
  const known = EXPRESSIONS.get(terms) ?? terms.map(expressionOf);
  EXPRESSIONS.set(terms, known);
  return known;
}

/** Every place where one of the terms stands; places of different terms may overlap. */
export function findTerms(text: string, terms: readonly string[]): TermPlace[] {
  const { text: compared, places } = folded(text);
  return expressionsOf(terms).flatMap((expression, index) =>
    [...compared.matchAll(expression)]
      .filter(([found]) => found !== '')
      .map((match) => {
        const last = match.index + match[0].length - 1;
        // The end is where the next character begins: marks that follow go with it.
        let next = last + 1;
        while (next < places.length && places[next] === places[last]) next++;
        return { start: places[match.index] ?? 0, end: places[next] ?? text.length, term: index };
      }),
  );
}

/** The text without the terms, and which of them were found. */
export function withoutTerms(
  text: string,
  terms: readonly string[],
): { readonly text: string; readonly found: ReadonlySet<number> } {
  const places = findTerms(text, terms).sort((a, b) => a.start - b.start);
  let out = '';
  let at = 0;
  for (const { start, end } of places) {
    if (end <= at) continue;
    if (start >= at) out += text.slice(at, start) + HIDDEN_WORDS;
    at = end;
  }
  return { text: out + text.slice(at), found: new Set(places.map(({ term }) => term)) };
}
