import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { DocumentFault } from '../processes/messages.js';
import { apply, IDENTITY, type Matrix, matrixOf, multiply, type Point } from './matrix.js';
import type { PDFPageProxy } from './open.js';

/** A box of a page, in points from the upper left corner of the page as displayed. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** One drawn character. */
export interface Glyph {
  readonly text: string;
  readonly box: Box;
  /** Start on the baseline. */
  readonly start: Point;
  readonly end: Point;
  /** Font height in points of the page. */
  readonly size: number;
  readonly isSpace: boolean;
}

/** The text that a page draws. */
interface DrawnText {
  readonly glyphs: readonly Glyph[];
  /** Text in pattern tiles or in glyphs that are drawings: visible, but its place is unknown here. */
  readonly unplaced: readonly string[];
}

interface OperatorList {
  readonly fnArray: readonly number[];
  /** pdf.js does not type the arguments of its operators: readers below state the type by operator. */
  readonly argsArray: readonly (readonly [readonly Shown[]])[];
}

const isOperatorList = (value: unknown): value is OperatorList =>
  typeof value === 'object' && value !== null && 'fnArray' in value && 'argsArray' in value;

interface DrawnGlyph {
  readonly unicode?: string;
  /** Name of the drawing within the font, for a glyph that is a drawing. */
  readonly operatorListId?: string;
  readonly width?: number;
  readonly isSpace?: boolean;
}

type Shown = DrawnGlyph | number | null;

/** Generous, so that accents and descenders are hidden too. */
const ASCENT = 1.05;
const DESCENT = -0.32;

interface State {
  ctm: Matrix;
  text: Matrix;
  x: number;
  y: number;
  lineX: number;
  lineY: number;
  size: number;
  /** Factor from font units to text space. */
  unit: number;
  vertical: boolean;
  charSpacing: number;
  wordSpacing: number;
  hScale: number;
  rise: number;
  leading: number;
  /** Drawings of a font that draws its glyphs (Type 3). */
  drawings: Readonly<Record<string, OperatorList>>;
}

const beginning = (ctm: Matrix): State => ({
  ctm,
  text: IDENTITY,
  x: 0,
  y: 0,
  lineX: 0,
  lineY: 0,
  size: 0,
  unit: 0.001,
  vertical: false,
  charSpacing: 0,
  wordSpacing: 0,
  hScale: 1,
  rise: 0,
  leading: 0,
  drawings: {},
});

/**
 * Returns every character that a page draws, visible or not, in drawing order.
 * Walks the drawing operators as the renderer does, so that boxes match the ink.
 *
 * @throws DocumentFault UNSURE for vertical writing, which is not computed
 */
export async function glyphsOf(page: PDFPageProxy): Promise<DrawnText> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const base = matrixOf(page.getViewport({ scale: 1 }).transform);
  const walk = new GlyphWalk(page, base);
  fnArray.forEach((operator, i) => {
    walk.step(operator, argsArray[i] ?? []);
  });
  return walk;
}

const wordsWithin = ({ fnArray, argsArray }: OperatorList): string =>
  fnArray
    .map((operator, i) => (operator === OPS.showText ? (argsArray[i]?.[0] ?? []) : []))
    .flatMap((shown) =>
      shown.map((glyph) => (glyph !== null && typeof glyph === 'object' ? (glyph.unicode ?? '') : '')),
    )
    .join('');

interface LoadedFont {
  readonly fontMatrix?: readonly number[];
  readonly vertical?: boolean;
  readonly charProcOperatorList?: Readonly<Record<string, OperatorList>>;
}

class GlyphWalk implements DrawnText {
  readonly glyphs: Glyph[] = [];
  readonly unplaced: string[] = [];
  readonly #page: PDFPageProxy;
  readonly #base: Matrix;
  readonly #stack: State[] = [];
  #state: State;

  constructor(page: PDFPageProxy, base: Matrix) {
    this.#page = page;
    this.#base = base;
    this.#state = beginning(base);
  }

  step(operator: number, args: unknown[]): void {
    const state = this.#state;
    const number = (i: number): number => Number(args[i] ?? 0);
    switch (operator) {
      case OPS.save:
      case OPS.beginGroup:
        this.#save();
        return;
      case OPS.restore:
      case OPS.endGroup:
      case OPS.paintFormXObjectEnd:
      case OPS.endAnnotation:
        this.#restore();
        return;
      case OPS.transform:
        state.ctm = multiply(state.ctm, matrixOf(args));
        return;
      case OPS.paintFormXObjectBegin:
        this.#save();
        if (args[0]) this.#state.ctm = multiply(this.#state.ctm, matrixOf(args[0]));
        return;
      case OPS.beginAnnotation:
        this.#save();
        this.#state = beginning(multiply(multiply(this.#base, matrixOf(args[2])), matrixOf(args[3])));
        return;
      case OPS.beginText:
        this.#textMatrix(IDENTITY);
        return;
      case OPS.setTextMatrix:
        this.#textMatrix(matrixOf(args[0]));
        return;
      case OPS.setFont:
        this.#font(String(args[0]), number(1));
        return;
      case OPS.setCharSpacing:
        state.charSpacing = number(0);
        return;
      case OPS.setWordSpacing:
        state.wordSpacing = number(0);
        return;
      case OPS.setHScale:
        state.hScale = number(0) / 100;
        return;
      case OPS.setTextRise:
        state.rise = number(0);
        return;
      case OPS.setLeading:
        state.leading = -number(0);
        return;
      case OPS.setLeadingMoveText:
        state.leading = number(1);
        this.#move(number(0), number(1));
        return;
      case OPS.moveText:
        this.#move(number(0), number(1));
        return;
      case OPS.nextLine:
        this.#move(0, state.leading);
        return;
      case OPS.setFillColorN:
      case OPS.setStrokeColorN:
        if (args[0] === 'TilingPattern' && isOperatorList(args[2])) this.unplaced.push(wordsWithin(args[2]));
        return;
      case OPS.showText:
        this.#show(Array.isArray(args[0]) ? args[0] : []);
        return;
    }
  }

  #save(): void {
    this.#stack.push({ ...this.#state });
  }

  #restore(): void {
    this.#state = this.#stack.pop() ?? this.#state;
  }

  #textMatrix(matrix: Matrix): void {
    Object.assign(this.#state, { text: matrix, x: 0, y: 0, lineX: 0, lineY: 0 });
  }

  #move(x: number, y: number): void {
    const state = this.#state;
    state.x = state.lineX += x;
    state.y = state.lineY += y;
  }

  #font(name: string, size: number): void {
    const { commonObjs } = this.#page;
    const font: LoadedFont = commonObjs.has(name) ? commonObjs.get(name) : {};
    this.#state.size = size;
    this.#state.unit = font.fontMatrix?.[0] ?? 0.001;
    this.#state.vertical = font.vertical === true;
    this.#state.drawings = font.charProcOperatorList ?? {};
  }

  #show(glyphs: readonly Shown[]): void {
    const state = this.#state;
    if (state.vertical) throw new DocumentFault('UNSURE');
    for (const glyph of glyphs) {
      if (typeof glyph === 'number') {
        state.x -= (glyph * state.size * state.hScale) / 1000;
      } else if (glyph !== null) {
        const width = (glyph.width ?? 0) * state.unit * state.size;
        this.#add(glyph, width * state.hScale);
        const drawing = state.drawings[glyph.operatorListId ?? ''];
        if (drawing !== undefined) this.unplaced.push(wordsWithin(drawing));
        const spacing = state.charSpacing + (glyph.isSpace ? state.wordSpacing : 0);
        state.x += (width + spacing) * state.hScale;
      }
    }
  }

  #add({ unicode = '', isSpace = false }: DrawnGlyph, width: number): void {
    const { ctm, text, x, y, rise, size } = this.#state;
    const matrix = multiply(ctm, text);
    const corners = [DESCENT, ASCENT].flatMap((height) => [
      apply(matrix, x, y + rise + height * size),
      apply(matrix, x + width, y + rise + height * size),
    ]);
    const xs = corners.map((corner) => corner.x);
    const ys = corners.map((corner) => corner.y);
    this.glyphs.push({
      text: unicode,
      box: { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) },
      start: apply(matrix, x, y + rise),
      end: apply(matrix, x + width, y + rise),
      size: Math.hypot(matrix[2], matrix[3]) * Math.abs(size),
      isSpace: isSpace || /^\s+$/u.test(unicode),
    });
  }
}
