import {
  PDFOperatorNames as Op,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  PDFOperator,
  type PDFRef,
} from 'pdf-lib';
import type { Word } from './words.js';

/** Every character is half as wide as high; words are stretched to their original width. */
const WIDTH = 500;

const TO_UNICODE = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
${[...rangesOf()].join('\n')}
endcmap CMapName currentdict /CMap defineresource pop end end`;

/** A range must not cross a first byte, and a block holds at most 100 ranges. */
function* rangesOf(): Generator<string> {
  const hex = (value: number): string => value.toString(16).padStart(4, '0').toUpperCase();
  for (let first = 0; first < 256; first += 64) {
    const lines = Array.from({ length: 64 }, (_, i) => {
      const [from, to] = [hex((first + i) * 256), hex((first + i) * 256 + 255)];
      return `<${from}> <${to}> <${from}>`;
    });
    yield `64 beginbfrange\n${lines.join('\n')}\nendbfrange`;
  }
}

/** Embeds a font without shapes that maps each code to its own character: its text is found, not seen. */
export function invisibleFont(document: PDFDocument): PDFRef {
  const { context } = document;
  const descriptor = context.register(
    context.obj({
      Type: 'FontDescriptor',
      FontName: 'Invisible',
      Flags: 4,
      FontBBox: [0, -200, WIDTH, 800],
      ItalicAngle: 0,
      Ascent: 800,
      Descent: -200,
      CapHeight: 700,
      StemV: 80,
    }),
  );
  const descendant = context.obj({
    Type: 'Font',
    Subtype: 'CIDFontType2',
    BaseFont: 'Invisible',
    CIDSystemInfo: {
      Registry: PDFHexString.fromText('Adobe'),
      Ordering: PDFHexString.fromText('Identity'),
      Supplement: 0,
    },
    FontDescriptor: descriptor,
    DW: WIDTH,
    CIDToGIDMap: 'Identity',
  });
  return context.register(
    context.obj({
      Type: 'Font',
      Subtype: 'Type0',
      BaseFont: 'Invisible',
      Encoding: 'Identity-H',
      DescendantFonts: [context.register(descendant)],
      ToUnicode: context.register(context.flateStream(TO_UNICODE)),
    }),
  );
}

/**
 * Draws words in that font at their original places.
 *
 * @param height of the page: PDF counts from the bottom
 */
export function invisibleWords(font: string, words: readonly Word[], height: number): PDFOperator[] {
  const drawn = words.flatMap((word) => wordOperators(word, height));
  if (drawn.length === 0) return [];
  const mode = PDFOperator.of(Op.SetTextRenderingMode, [PDFNumber.of(3)]);
  return [PDFOperator.of(Op.BeginText), mode, ...wordFont(font), ...drawn, PDFOperator.of(Op.EndText)];
}

const wordFont = (font: string): PDFOperator[] => [
  PDFOperator.of(Op.SetFontAndSize, [PDFName.of(font), PDFNumber.of(1)]),
];

function wordOperators(word: Word, height: number): PDFOperator[] {
  const [first] = word;
  const last = word.at(-1);
  // The trailing space makes readers split words, whatever they make of gaps.
  const text = `${word.map((glyph) => glyph.text).join('')} `;
  const units = [...text].filter((character) => character.length === 1);
  if (!first || !last || units.length < 2) return [];
  const [dx, dy] = [last.end.x - first.start.x, last.end.y - first.start.y];
  const length = Math.max(0.1, Math.hypot(dx, dy));
  const stretch = length / (((units.length - 1) * WIDTH) / 1000);
  const [ux, uy] = [dx / length, -dy / length];
  const numbers = [
    ux * stretch,
    uy * stretch,
    -uy * first.size,
    ux * first.size,
    first.start.x,
    height - first.start.y,
  ];
  const hex = units.map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0')).join('');
  return [
    PDFOperator.of(
      Op.SetTextMatrix,
      numbers.map((value) => PDFNumber.of(Number.isFinite(value) ? value : 0)),
    ),
    PDFOperator.of(Op.ShowText, [PDFHexString.of(hex)]),
  ];
}
