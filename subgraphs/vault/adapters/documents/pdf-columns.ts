import type { Glyph } from './pdf-glyphs.js';
import { type PageText, pageText } from './pdf-words.js';

/** A gap of this part of the font's height parts columns. */
const COLUMN_GAP = 1;
/** The next line of a column begins no further below than this many heights of the font. */
const NEXT_LINE = 2.5;
/** Lines of a column that are read together. */
const LINES = 4;

/** What stands in one line of one column. */
interface Segment {
  readonly glyphs: readonly Glyph[];
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
}

/**
 * Each line of each column with the lines below it: a name that is parted within a cell of a table is read in one, also where
 * the page is drawn row by row.
 */
export function columnTexts(lines: readonly (readonly Glyph[])[]): readonly PageText[] {
  const segments = lines.flatMap(segmentsOf);
  const next = segments.map((_, at) => below(segments, at));
  return segments.flatMap((segment, first) => {
    const glyphs = [...segment.glyphs];
    let at = next[first];
    for (let line = 1; line < LINES && at !== undefined; line++) {
      glyphs.push(...(segments[at]?.glyphs ?? []));
      at = next[at];
    }
    return next[first] === undefined ? [] : [pageText(glyphs)];
  });
}

function segmentsOf(line: readonly Glyph[]): readonly Segment[] {
  const parts: Glyph[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const glyph of line) {
    if (glyph.isSpace) continue;
    if (glyph.box.left - end > COLUMN_GAP * glyph.size) parts.push([]);
    parts.at(-1)?.push(glyph);
    end = Math.max(end, glyph.box.right);
  }
  return parts.map((glyphs) => ({
    glyphs,
    left: Math.min(...glyphs.map(({ box }) => box.left)),
    right: Math.max(...glyphs.map(({ box }) => box.right)),
    y: glyphs[0]?.start.y ?? 0,
    size: Math.max(...glyphs.map(({ size }) => size)),
  }));
}

/** Place of the nearest segment below that stands under this one. @param segments from top to bottom */
function below(segments: readonly Segment[], at: number): number | undefined {
  const segment = segments[at];
  if (segment === undefined) return undefined;
  for (let i = at + 1; i < segments.length; i++) {
    const other = segments[i];
    if (other === undefined || other.y - segment.y > NEXT_LINE * segment.size) return undefined;
    if (other.y > segment.y && other.left < segment.right && segment.left < other.right) return i;
  }
  return undefined;
}
