import type { Glyph } from './glyphs.js';
import { type PageText, pageText } from './words.js';

/** A gap of this many font heights separates columns. */
const COLUMN_GAP = 1;
/** The next line of a column begins at most this many font heights below. */
const NEXT_LINE = 2.5;
/** Lines of a column that are joined. */
const LINES = 4;

/** The glyphs of one line of one column. */
interface Segment {
  readonly glyphs: readonly Glyph[];
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
}

/**
 * Joins each line of each column with the lines below it.
 * So a name split within a table cell is found, also when the page is drawn row by row.
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

/**
 * Returns the index of the nearest segment below that overlaps this one horizontally.
 *
 * @param segments from top to bottom
 */
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
