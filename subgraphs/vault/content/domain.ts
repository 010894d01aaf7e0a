/** Replaces hidden words in plain text. Always the same, so that it does not reveal their length. */
const HIDDEN_WORDS = '█████';

/** A half-open range of a text, in UTF-16 units. */
interface TermPlace {
  readonly start: number;
  readonly end: number;
  /** Index of the term. */
  readonly term: number;
}

/** A normalised text, and the original place of each of its units. */
interface Folded {
  readonly text: string;
  readonly places: readonly number[];
}

const MARKS = /\p{M}/gu;
const DROPPED = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
const SOFT_HYPHEN = '\u00ad';
const QUOTES = /[’ʼ′]/g;
const DASHES = /[‐‑‒–—−]/g;

/**
 * Ignores case, compatibility forms, marks, soft hyphens and kinds of dashes: hiding too much is safer than too little.
 */
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
    // At the end of a line a soft hyphen splits a word; elsewhere it is invisible.
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
/**
 * A word may be split by a hyphen at the end of a line, with or without white space after it; a dash may be followed by
 * a line break.
 */
const PARTED = '(?:-\\s+)?';
const DASH = '-\\s*';

const unitExpression = (unit: string): string => (unit === '-' ? DASH : unit.replace(ESCAPED, '\\$&'));

/** Builds an expression for whole words, in any case, taken literally; white space matches any white space. */
function expressionOf(term: string): RegExp {
  const words = [...folded(term).text.trim()]
    .map((unit) => (/\s/.test(unit) ? ' ' : unit))
    .join('')
    .split(/ +/);
  const body = words.map((word) => [...word].map(unitExpression).join(PARTED)).join('\\s+');
  return new RegExp(`(?<![\\p{L}\\p{N}])${body}(?![\\p{L}\\p{N}])`, 'giu');
}

/** Cache: one list of terms is applied to many texts. */
const EXPRESSIONS = new WeakMap<readonly string[], readonly RegExp[]>();

function expressionsOf(terms: readonly string[]): readonly RegExp[] {
  const known = EXPRESSIONS.get(terms) ?? terms.map(expressionOf);
  EXPRESSIONS.set(terms, known);
  return known;
}

/** Finds every place of every term; places of different terms may overlap. */
export function findTerms(text: string, terms: readonly string[]): TermPlace[] {
  const { text: compared, places } = folded(text);
  return expressionsOf(terms).flatMap((expression, index) =>
    [...compared.matchAll(expression)]
      .filter(([found]) => found !== '')
      .map((match) => {
        const last = match.index + match[0].length - 1;
        // The range ends where the next character begins, so that combining marks are included.
        let next = last + 1;
        while (next < places.length && places[next] === places[last]) next++;
        return { start: places[match.index] ?? 0, end: places[next] ?? text.length, term: index };
      }),
  );
}

/** Returns the text without the terms, and the indexes of the terms found. */
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

/**
 * A rectangle of a page, in points (1/72 inch) from the upper left corner of the page as it is shown. For an image, which has
 * one page, in pixels.
 */
interface PageRegion {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Hidden parts of one page; the whole page without regions. */
export interface RedactedPage {
  /** From 1. */
  readonly page: number;
  readonly regions?: readonly PageRegion[];
}

/** Media types that can be redacted. */
const REDACTABLE_MEDIA_TYPES = ['text/plain', 'application/pdf', 'image/png', 'image/jpeg'] as const;
export type RedactableMediaType = (typeof REDACTABLE_MEDIA_TYPES)[number];

/** @param mediaType with or without parameters. */
export function redactableType(mediaType: string): RedactableMediaType | undefined {
  const [essence = ''] = mediaType.toLowerCase().split(';');
  return REDACTABLE_MEDIA_TYPES.find((type) => type === essence.trim());
}
