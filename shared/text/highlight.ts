import type { Wanted } from './search-query.js';
import { phraseAt } from './searched-text.js';
import { codesOf, type Token, termOf, tokensOf } from './tokens.js';

/** A stretch of text: from `start` up to and without `end`, in UTF-16 units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface Highlight {
  readonly snippet: string;
  /** Places in the snippet. */
  readonly matches: readonly Span[];
}

const SNIPPET_LENGTH = 200;
const LEAD = 60;
const ELLIPSIS = '…';

/** Returns the piece of a text around its first match, or undefined without a match. */
export function highlightOf(text: string, wanted: readonly Wanted[]): Highlight | undefined {
  const spans = matchesIn(text, wanted);
  const [first] = spans;
  if (!first) return undefined;
  const { from, to } = windowOf(text, first);
  const head = from > 0 ? ELLIPSIS : '';
  const tail = to < text.length ? ELLIPSIS : '';
  const shift = head.length - from;
  const matches = spans
    .filter(({ start, end }) => start >= from && end <= to)
    .map(({ start, end }) => ({ start: start + shift, end: end + shift }));
  return { snippet: `${head}${text.slice(from, to)}${tail}`, matches };
}

/** All findings, in order, without overlap. */
export function matchesIn(text: string, wanted: readonly Wanted[]): Span[] {
  const tokens = tokensOf(text);
  const found: Span[] = [];
  const add = (first: Token | undefined, last: Token | undefined): void => {
    if (first && last) found.push({ start: first.start, end: last.end });
  };
  const codes = codesOf(tokens);
  for (const part of wanted) {
    if (part.kind === 'phrase') {
      tokens.forEach((token, i) => {
        if (phraseAt(tokens, i, part.words)) add(token, tokens[i + part.words.length - 1]);
      });
      continue;
    }
    const fits = (term: string | undefined): boolean =>
      term !== undefined && (part.kind === 'term' ? term === part.term : term.startsWith(part.prefix));
    for (const token of tokens)
      if (fits(termOf(token)) || (part.kind === 'prefix' && fits(token.text))) add(token, token);
    for (const code of codes) if (fits(code.text)) add(tokens[code.first], tokens[code.last]);
  }
  return withoutOverlap(found);
}

function withoutOverlap(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: Span[] = [];
  for (const span of sorted) {
    const last = kept.at(-1);
    if (!last || span.start >= last.end) kept.push(span);
  }
  return kept;
}

/** Cut at spaces where there are any near; never within the finding, nor within a surrogate pair. */
function windowOf(text: string, { start, end }: Span): { from: number; to: number } {
  const lead = start <= LEAD ? 0 : start - LEAD;
  const spaceBefore = lead === 0 ? -1 : text.slice(lead, start).search(/\s/);
  const from = lead + spaceBefore + 1;
  let to = Math.max(end, Math.min(text.length, from + SNIPPET_LENGTH));
  if (to < text.length) {
    const space = text.lastIndexOf(' ', to);
    if (space > end) to = space;
  }
  return { from: wholeAt(text, from), to: wholeAt(text, to) };
}

const wholeAt = (text: string, at: number): number => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
};
