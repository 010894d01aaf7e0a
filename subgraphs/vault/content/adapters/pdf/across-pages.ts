import { findTerms } from '../../domain.js';
import type { Glyph } from './glyphs.js';
import type { PageText } from './words.js';

/** Lines of running heads and feet that may separate the text of two pages. */
const RUNNING_LINES = 3;

interface AcrossPages {
  readonly glyphs: ReadonlySet<Glyph>;
  readonly terms: ReadonlySet<number>;
}

/**
 * Finds terms that begin on one page and end on the next, split words included.
 * Skips up to three lines at the foot of the first page and at the head of the second: page numbers and titles
 * interrupt sentences.
 */
export function termsAcross(before: PageText, next: PageText, terms: readonly string[]): AcrossPages {
  const glyphs = new Set<Glyph>();
  const found = new Set<number>();
  const reach = 4 * Math.max(0, ...terms.map(({ length }) => length));
  for (const end of lineEnds(before.text)) {
    for (const start of lineStarts(next.text)) {
      const from = Math.max(0, end - reach);
      const tail = before.text.slice(from, end);
      const joined = `${tail}\n${next.text.slice(start, start + reach)}`;
      for (const place of findTerms(joined, terms)) {
        if (place.start >= tail.length || place.end <= tail.length + 1) continue;
        found.add(place.term);
        for (let at = place.start; at < place.end; at++) {
          const glyph = at < tail.length ? before.glyphs[from + at] : next.glyphs[start + at - tail.length - 1];
          if (glyph) glyphs.add(glyph);
        }
      }
    }
  }
  return { glyphs, terms: found };
}

/** Returns the end of the text, and its end without one, two and three of its last lines. */
function lineEnds(text: string): readonly number[] {
  const ends = [text.trimEnd().length];
  for (let at = text.lastIndexOf('\n', (ends[0] ?? 0) - 1); at > 0 && ends.length <= RUNNING_LINES; ) {
    ends.push(at);
    at = text.lastIndexOf('\n', at - 1);
  }
  return ends;
}

/** Returns the start of the text, and its start without one, two and three of its first lines. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0 && starts.length <= RUNNING_LINES; at = text.indexOf('\n', at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}
