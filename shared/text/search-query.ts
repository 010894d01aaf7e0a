import { codesOf, endOfRun, type Token, termOf, tokensOf } from './tokens.js';

// What people write into a search box: words, "phrases", -exclusions, codes, pre*fixes and name:value filters. Every part
// must be found.

export type Wanted =
  /** A word in any of its forms, or a code however it is parted. */
  | { readonly kind: 'term'; readonly term: string }
  /** Terms that begin so. */
  | { readonly kind: 'prefix'; readonly prefix: string }
  /** These words in this order, next to each other, in just these forms. */
  | { readonly kind: 'phrase'; readonly words: readonly string[]; readonly terms: readonly string[] };

/** `carc:50` or `-outcome:approved`: an exact value of something that the record says. */
export interface QueryFilter {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
  readonly excluded: boolean;
}

export interface SearchQuery {
  readonly all: readonly Wanted[];
  readonly none: readonly Wanted[];
  readonly filters: readonly QueryFilter[];
}

/** Reasons why a text is no query, with instructions. */
export const QUERY_FAULTS = {
  nothing: 'Holds nothing to look for: at least one word, code or phrase that is not excluded and not too common.',
  prefix: 'A word with * needs at least two letters or digits before it.',
  parts: 'Holds more than 32 parts.',
} as const;
type QueryFault = keyof typeof QUERY_FAULTS;

const MAX_QUERY_PARTS = 32;
const MIN_PREFIX_LENGTH = 2;
const TYPOGRAPHIC_QUOTES = /[“”„«»]/g;
/** An unclosed quotation extends to the end. */
const PART = /(?<name>-?[A-Za-z0-9]+):"(?<quoted>[^"]*)"?|(?<not>-?)"(?<phrase>[^"]*)"?|(?<bare>[^\s"]+)/g;
const NO_FILTERS: ReadonlySet<string> = new Set();

/**
 * @param filterNames names that make `name:value` a filter; any other such text is words
 * @returns the query, or why the text is none.
 */
export function parseSearchQuery(
  text: string,
  filterNames: ReadonlySet<string> = NO_FILTERS,
): SearchQuery | QueryFault {
  const all = new Map<string, Wanted>();
  const none = new Map<string, Wanted>();
  const filters: QueryFilter[] = [];
  for (const { groups = {} } of text.replace(TYPOGRAPHIC_QUOTES, '"').matchAll(PART)) {
    const filter = filterIn(groups, filterNames);
    if (filter !== undefined) {
      filters.push(filter);
      continue;
    }
    for (const { excluded, parts } of wordsIn(groups)) {
      if (parts === 'prefix') return 'prefix';
      for (const part of parts) (excluded ? none : all).set(keyOf(part), part);
    }
  }
  if (all.size + none.size + filters.length > MAX_QUERY_PARTS) return 'parts';
  const query = { all: [...all.values()], none: [...none.values()], filters };
  return query.all.some(canBeFound) || filters.some(({ excluded }) => !excluded) ? query : 'nothing';
}

type Groups = Readonly<Record<string, string | undefined>>;

function filterIn({ name, quoted, bare = '' }: Groups, names: ReadonlySet<string>): QueryFilter | undefined {
  const colon = bare.indexOf(':');
  const written = name ?? bare.slice(0, Math.max(colon, 0));
  const excluded = written.startsWith('-');
  const own = (excluded ? written.slice(1) : written).toLowerCase();
  return names.has(own) ? { name: own, value: quoted ?? bare.slice(colon + 1), excluded } : undefined;
}

interface Words {
  readonly excluded: boolean;
  readonly parts: readonly Wanted[] | 'prefix';
}

function wordsIn({ name, quoted, not, phrase, bare = name }: Groups): readonly Words[] {
  const quotation = quoted ?? phrase;
  const words: Words[] = [];
  if (bare !== undefined) {
    const excluded = bare.length > 1 && bare.startsWith('-');
    words.push({ excluded, parts: bareParts(excluded ? bare.slice(1) : bare) });
  }
  if (quotation !== undefined) words.push({ excluded: not === '-', parts: phraseOf(tokensOf(quotation)) });
  return words;
}

const keyOf = (part: Wanted): string => {
  if (part.kind === 'term') return `t ${part.term}`;
  return part.kind === 'prefix' ? `p ${part.prefix}` : `w ${part.words.join(' ')}`;
};

/** Terms that a part's finding must have; a phrase of common words alone has none. */
export function termsOf(part: Wanted): readonly string[] {
  if (part.kind === 'term') return [part.term];
  return part.kind === 'phrase' ? part.terms : [];
}

const canBeFound = (part: Wanted): boolean => part.kind === 'prefix' || termsOf(part).length > 0;

function bareParts(text: string): readonly Wanted[] | 'prefix' {
  const isPrefix = text.endsWith('*');
  const tokens = tokensOf(text);
  if (isPrefix) return prefixOf(tokens);
  const parts: Wanted[] = [];
  for (let first = 0; first < tokens.length; ) {
    const last = endOfRun(tokens, first, ({ glued }) => glued);
    parts.push(...runOf(tokens.slice(first, last + 1)));
    first = last + 1;
  }
  return parts;
}

/** Codes with a digit are one term however they are parted; words that are joined (out-of-network) are a phrase. */
function runOf(run: readonly Token[]): readonly Wanted[] {
  const [code] = codesOf(run);
  // One that is too long for a term has only codes of its parts.
  const whole = code?.first === 0 && code.last === run.length - 1;
  if (whole && /\d/.test(code.text)) return [{ kind: 'term', term: code.text }];
  return phraseOf(run);
}

function phraseOf(tokens: readonly Token[]): readonly Wanted[] {
  const [only, second] = tokens;
  if (!only) return [];
  if (!second) {
    const term = termOf(only);
    return term === undefined ? [] : [{ kind: 'term', term }];
  }
  const terms = new Set(tokens.flatMap((token) => termOf(token) ?? []));
  return [{ kind: 'phrase', words: tokens.map(({ text }) => text), terms: [...terms] }];
}

function prefixOf(tokens: readonly Token[]): readonly Wanted[] | 'prefix' {
  const prefix = tokens.map(({ text }) => text).join('');
  return prefix.length < MIN_PREFIX_LENGTH ? 'prefix' : [{ kind: 'prefix', prefix }];
}
