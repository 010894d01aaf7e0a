import type { Glyph } from './glyphs.js';

/** A run of adjacent glyphs. */
export type Word = readonly Glyph[];

/** The text of a page, and the glyph behind each UTF-16 unit of it. */
export interface PageText {
  readonly text: string;
  /** By unit of `text`; undefined for white space between words. */
  readonly glyphs: readonly (Glyph | undefined)[];
  readonly words: readonly Word[];
}

/** A gap of this many font heights separates words. */
const WORD_GAP = 0.2;
/** A step back, or off the line, by this many font heights starts a new run. */
const BACK = 0.6;
const OFF_LINE = 0.5;

/** Joins glyphs in drawing order. */
export function pageText(glyphs: readonly Glyph[]): PageText {
  let text = '';
  const units: (Glyph | undefined)[] = [];
  const words: Glyph[][] = [];
  let word: Glyph[] = [];
  const end = (between: string): void => {
    if (word.length > 0) words.push(word);
    word = [];
    if (text === '' || /\s$/.test(text)) return;
    text += between;
    units.push(undefined);
  };
  let before: Glyph | undefined;
  for (const glyph of glyphs) {
    const gap = before === undefined ? 'none' : gapBetween(before, glyph);
    if (glyph.isSpace || gap === 'word') end(' ');
    if (gap === 'line') end('\n');
    before = glyph;
    if (glyph.isSpace || glyph.text === '') continue;
    word.push(glyph);
    text += glyph.text;
    for (let i = 0; i < glyph.text.length; i++) units.push(glyph);
  }
  if (word.length > 0) words.push(word);
  return { text, glyphs: units, words };
}

/** Joins glyphs in reading order, for pages that are drawn out of order. */
export const spatialText = (lines: readonly (readonly Glyph[])[]): PageText => pageText(lines.flat());

/** Groups glyphs into lines, from top to bottom and from left to right. */
export function linesOf(glyphs: readonly Glyph[]): readonly (readonly Glyph[])[] {
  const lines: { y: number; size: number; glyphs: Glyph[] }[] = [];
  for (const glyph of [...glyphs].sort((a, b) => a.start.y - b.start.y)) {
    const line = lines.at(-1);
    if (line && Math.abs(line.y - glyph.start.y) <= 0.25 * Math.max(1, Math.min(line.size, glyph.size)))
      line.glyphs.push(glyph);
    else lines.push({ y: glyph.start.y, size: glyph.size, glyphs: [glyph] });
  }
  return lines.map((line) => line.glyphs.sort((a, b) => a.start.x - b.start.x));
}

/** Two equal glyphs within this many font heights are one character struck twice. */
const TWIN = 0.1;

/** Maps each glyph that strikes a character again (for bold) to the glyph that it repeats. */
export function twinsOf(glyphs: readonly Glyph[]): ReadonlyMap<Glyph, Glyph> {
  const twins = new Map<Glyph, Glyph>();
  const near = new Map<string, Glyph[]>();
  for (const glyph of glyphs) {
    const { x, y } = glyph.start;
    const cell = Math.max(1, glyph.size);
    const [column, row] = [Math.floor(x / cell), Math.floor(y / cell)];
    const keyOf = (dx: number, dy: number): string => `${glyph.text} ${column + dx} ${row + dy}`;
    const around = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].flatMap((dy) => near.get(keyOf(dx, dy)) ?? []));
    const first = around.find(
      ({ start, size }) => Math.hypot(start.x - x, start.y - y) < TWIN * Math.min(size, glyph.size),
    );
    if (first !== undefined) twins.set(glyph, first);
    else near.set(keyOf(0, 0), [...(near.get(keyOf(0, 0)) ?? []), glyph]);
  }
  return twins;
}

function gapBetween(before: Glyph, next: Glyph): 'none' | 'word' | 'line' {
  const size = Math.max(0.1, Math.min(before.size, next.size));
  const [along, across] = apart(before, next);
  if (Math.abs(across) > OFF_LINE * size || along < -BACK * size) return 'line';
  return along > WORD_GAP * size ? 'word' : 'none';
}

/** Returns the distance from the end of one glyph to the start of the next, along the baseline and off it. */
function apart(before: Glyph, next: Glyph): readonly [number, number] {
  const length = Math.hypot(before.end.x - before.start.x, before.end.y - before.start.y);
  const [ux, uy] =
    length === 0 ? [1, 0] : [(before.end.x - before.start.x) / length, (before.end.y - before.start.y) / length];
  const [dx, dy] = [next.start.x - before.end.x, next.start.y - before.end.y];
  return [dx * ux + dy * uy, dx * uy - dy * ux];
}
