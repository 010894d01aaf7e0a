import { createCanvas } from '@napi-rs/canvas';
import {
  concatTransformationMatrix,
  drawObject,
  PDFDocument,
  PDFName,
  popGraphicsState,
  pushGraphicsState,
} from 'pdf-lib';
import { findTerms, type RedactedPage } from '../../domain.js';
import { DocumentFault } from '../processes/messages.js';
import { termsAcross } from './across-pages.js';
import { columnTexts } from './columns.js';
import { type Box, type Glyph, glyphsOf } from './glyphs.js';
import { invisibleFont, invisibleWords } from './invisible-text.js';
import { openPdf, type PDFPageProxy } from './open.js';
import { linesOf, type PageText, pageText, spatialText, twinsOf } from './words.js';

/** Pixels per point: 150 dpi. */
const SCALE = 150 / 72;
const MAX_PAGE_PIXELS = 24_000_000;
const JPEG_QUALITY = 88;
/** Margin around hidden text, in points. */
const MARGIN = 0.6;

export interface PdfRedaction {
  readonly bytes: Uint8Array;
  readonly terms: readonly string[];
  readonly pages: readonly RedactedPage[];
  readonly maxPages: number;
}

/** A page and its hidden parts. */
interface ReadPage {
  readonly page: PDFPageProxy;
  /** Its text in drawing order and in reading order. */
  readonly readings: readonly PageText[];
  /** Glyphs that strike another one again; they are hidden with it. */
  readonly twins: ReadonlyMap<Glyph, Glyph>;
  readonly regions: readonly Box[];
  readonly hidden: Set<Glyph>;
}

/**
 * Makes a new PDF of page images, black where something is hidden, with the remaining words as invisible text.
 * Redraws every page: a copied page would bring objects that it shares with others. Copies no object, metadata,
 * attachment or earlier revision of the original.
 *
 * @throws DocumentFault
 */
export async function redactPdf({ bytes, terms, pages, maxPages }: PdfRedaction): Promise<Uint8Array> {
  const source = await openPdf(bytes, maxPages);
  const missing = new Set(pages.flatMap(({ page }, i) => (page > source.numPages ? [i] : [])));
  const target = await PDFDocument.create({ updateMetadata: false });
  const font = invisibleFont(target);
  const found = new Set<number>();
  let before: ReadPage | undefined;
  for (let number = 1; number <= source.numPages; number++) {
    const page = await source.getPage(number);
    for (const at of outside(page, pages)) missing.add(at);
    const read = await readPage(page, terms, pages, found);
    if (before !== undefined) {
      hideAcross(before, read, terms, found);
      await addPage(target, font, before);
    }
    before = read;
  }
  if (before !== undefined) await addPage(target, font, before);
  const missingPages = [...missing].sort((a, b) => a - b);
  const missingTerms = terms.flatMap((_, i) => (found.has(i) ? [] : [i]));
  if (missingTerms.length + missingPages.length > 0) {
    throw new DocumentFault('NOT_FOUND', { terms: missingTerms, pages: missingPages });
  }
  return target.save({ useObjectStreams: false, addDefaultPage: false });
}

/** Returns the indexes of page requests with a region outside the page: it would hide nothing. */
function outside(page: PDFPageProxy, pages: readonly RedactedPage[]): readonly number[] {
  const { width, height } = page.getViewport({ scale: 1 });
  return pages.flatMap(({ page: number, regions = [] }, i) =>
    number === page.pageNumber && regions.some(({ x, y }) => x >= width || y >= height) ? [i] : [],
  );
}

async function readPage(
  page: PDFPageProxy,
  terms: readonly string[],
  pages: readonly RedactedPage[],
  found: Set<number>,
): Promise<ReadPage> {
  const { glyphs, unplaced } = await glyphsOf(page);
  if (namesAny(unplaced, terms)) throw new DocumentFault('UNSURE');
  const { width, height } = page.getViewport({ scale: 1 });
  const regions = pages
    .filter((asked) => asked.page === page.pageNumber)
    .flatMap(({ regions: parts }) => parts ?? [{ x: 0, y: 0, width, height }])
    .map((at) => ({ left: at.x, top: at.y, right: at.x + at.width, bottom: at.y + at.height }));
  const hidden = new Set(glyphs.filter(({ box }) => regions.some((region) => overlaps(region, box))));
  const here = new Set<number>();
  let counted = 0;
  const twins = twinsOf(glyphs);
  const lines = linesOf(glyphs.filter((glyph) => !twins.has(glyph)));
  const readings = [pageText(glyphs), spatialText(lines)];
  for (const [reading, { text, glyphs: units }] of [...readings, ...columnTexts(lines)].entries()) {
    for (const { start, end, term } of findTerms(text, terms)) {
      here.add(term);
      if (reading === 0) counted++;
      for (const glyph of units.slice(start, end)) if (glyph) hidden.add(glyph);
    }
  }
  if (terms.length > 0) await compareWithLibrary(page, terms, Math.max(counted, here.size));
  for (const term of here) found.add(term);
  return { page, readings, twins, regions, hidden };
}

/** Checks whether text without a known place contains a term, as words or as letters. */
const namesAny = (unplaced: readonly string[], terms: readonly string[]): boolean =>
  unplaced.some((words) => words !== '') &&
  [' ', ''].some((between) => findTerms(unplaced.join(between), terms).length > 0);

function hideAcross(before: ReadPage, next: ReadPage, terms: readonly string[], found: Set<number>): void {
  for (const [reading, text] of before.readings.entries()) {
    const other = next.readings[reading];
    if (other === undefined) continue;
    const across = termsAcross(text, other, terms);
    for (const term of across.terms) found.add(term);
    for (const glyph of across.glyphs) for (const { hidden } of [before, next]) hidden.add(glyph);
  }
}

/** Compares the count with the library's own reading of the page: a missed place fails the redaction. */
async function compareWithLibrary(page: PDFPageProxy, terms: readonly string[], counted: number): Promise<void> {
  const { items } = await page.getTextContent();
  const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
  if (findTerms(text, terms).length > counted) throw new DocumentFault('UNSURE');
}

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const wider = ({ left, top, right, bottom }: Box): Box => ({
  left: left - MARGIN,
  top: top - MARGIN,
  right: right + MARGIN,
  bottom: bottom + MARGIN,
});

/** Adds the redacted page to the target and releases the source page. */
async function addPage(
  target: PDFDocument,
  font: ReturnType<typeof invisibleFont>,
  { page, readings, twins, regions, hidden }: ReadPage,
): Promise<void> {
  for (const [twin, first] of twins) if (hidden.has(first)) hidden.add(twin);
  const ink = [...hidden].filter(({ isSpace }) => !isSpace).map(({ box }) => wider(box));
  const { width, height } = page.getViewport({ scale: 1 });
  const image = await target.embedJpg(await picture(page, [...regions, ...ink]));
  const added = target.addPage([width, height]);
  // A fixed name, so that the same redaction of the same document gives the same bytes.
  added.node.setXObject(PDFName.of('Page'), image.ref);
  added.pushOperators(
    pushGraphicsState(),
    concatTransformationMatrix(width, 0, 0, height, 0, 0),
    drawObject('Page'),
    popGraphicsState(),
  );
  const name = 'Invisible';
  added.node.setFontDictionary(PDFName.of(name), font);
  const shown = (readings[0]?.words ?? []).filter((word) => !word.some((glyph) => hidden.has(glyph)));
  added.pushOperators(...invisibleWords(name, shown, height));
  page.cleanup();
}

/** Renders the page and paints the boxes before encoding, so that nothing below them remains. */
async function picture(page: PDFPageProxy, boxes: readonly Box[]): Promise<Uint8Array> {
  const { width, height } = page.getViewport({ scale: 1 });
  const scale = Math.min(SCALE, Math.sqrt(MAX_PAGE_PIXELS / Math.max(1, width * height)));
  const viewport = page.getViewport({ scale });
  const canvas = createCanvas(Math.max(1, Math.ceil(viewport.width)), Math.max(1, Math.ceil(viewport.height)));
  const context = canvas.getContext('2d');
  // This canvas implements the part of the DOM's canvas that pdf.js uses; the types differ.
  await page.render({ canvasContext: context as never, canvas: canvas as never, viewport }).promise;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.globalAlpha = 1;
  context.globalCompositeOperation = 'source-over';
  context.fillStyle = '#000000';
  for (const { left, top, right, bottom } of boxes) {
    context.fillRect(left * scale, top * scale, (right - left) * scale, (bottom - top) * scale);
  }
  // Synchronous: while another thread encodes, the garbage collector may free the canvas and crash the process.
  return canvas.toBuffer('image/jpeg', JPEG_QUALITY);
}
