import { findTerms } from '../../domain/find-terms.js';
import type { Glyph } from './pdf-glyphs.js';
import type { PageText } from './pdf-words.js';

/** Lines of running heads and feet that may stand between the text of a page and that of the next. */
const RUNNING_LINES = 3;

export interface AcrossPages {
  readonly glyphs: ReadonlySet<Glyph>;
  readonly terms: ReadonlySet<number>;
}

/**
 * Terms that begin at the end of a page and end at the beginning of the next, a parted word as well as several. Up to three lines
 * at the foot of the one and at the head of the other are passed over in turn: page numbers and titles part a sentence.
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

/** Where the text ends, and where it would without its last lines. */
function lineEnds(text: string): readonly number[] {
  const ends = [text.trimEnd().length];
  for (let at = text.lastIndexOf('\n', (ends[0] ?? 0) - 1); at > 0 && ends.length <= RUNNING_LINES; ) {
    ends.push(at);
    at = text.lastIndexOf('\n', at - 1);
  }
  return ends;
}

/** Where the text begins, and where it would without its first lines. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0 && starts.length <= RUNNING_LINES; at = text.indexOf('\n', at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}
