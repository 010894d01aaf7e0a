import anyAscii from 'any-ascii';
import { PDFDocument, type PDFFont, type PDFPage, StandardFonts } from 'pdf-lib';

// A letter in Markdown (headings, paragraphs, lists, quotes, bold) as a PDF. The same text gives the same bytes: no time, no
// identifier and no producer's version goes in. The fonts are those that every reader has (ISO 32000-1, 9.6.2.2), which hold
// Latin letters; any other script is transliterated, and the letter says so at its end.

const PAGE = { width: 612, height: 792, margin: 72 } as const;
const SIZES = [16, 12.5, 11] as const;
const TEXT_SIZE = 10;
const LEADING = 1.35;
const TRANSLITERATED =
  'Letters of scripts that this form can not show were written in Latin ones; the Markdown form has them as they are.';

/** Longest letter in characters; beyond it the PDF would be hundreds of pages. */
const MOST_CHARACTERS = 200_000;

interface Fonts {
  readonly regular: PDFFont;
  readonly bold: PDFFont;
}

interface Piece {
  readonly text: string;
  readonly isBold: boolean;
}

export async function letterPdf(markdown: string): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.setTitle('Appeal of a coverage decision');
  const fonts = {
    regular: await document.embedFont(StandardFonts.Helvetica),
    bold: await document.embedFont(StandardFonts.HelveticaBold),
  };
  const writer = new Writer(document, fonts);
  for (const line of markdown.slice(0, MOST_CHARACTERS).split('\n')) writer.line(line);
  if (writer.isTransliterated) writer.line(TRANSLITERATED);
  return document.save({ useObjectStreams: false, addDefaultPage: true });
}

class Writer {
  readonly #document: PDFDocument;
  readonly #fonts: Fonts;
  readonly #shown: ReadonlySet<number>;
  #page: PDFPage | null = null;
  #y = 0;
  isTransliterated = false;

  constructor(document: PDFDocument, fonts: Fonts) {
    this.#document = document;
    this.#fonts = fonts;
    this.#shown = new Set(fonts.regular.getCharacterSet());
  }

  line(markdown: string): void {
    const [, marks = '', rest = markdown] = /^(#{1,3}) (.*)$/.exec(markdown) ?? [];
    if (marks !== '') {
      this.#skip(8);
      this.#flow([{ text: plain(rest), isBold: true }], SIZES[marks.length - 1] ?? TEXT_SIZE, 0);
      return;
    }
    if (markdown.trim() === '' || markdown === '---') {
      this.#skip(markdown === '---' ? 14 : 6);
      return;
    }
    const [, list] = /^- (.*)$/.exec(markdown) ?? [];
    const [, quote] = /^> ?(.*)$/.exec(markdown) ?? [];
    const pieces = boldPieces(list ?? quote ?? markdown);
    if (list === undefined) this.#flow(pieces, TEXT_SIZE, quote === undefined ? 0 : 18);
    else this.#flow([{ text: '• ', isBold: false }, ...pieces], TEXT_SIZE, 12);
  }

  #skip(points: number): void {
    this.#y -= points;
  }

  /** Words, broken into lines; a word that is wider than the line is cut. */
  #flow(pieces: readonly Piece[], size: number, indent: number): void {
    const left = PAGE.margin + indent;
    const width = PAGE.width - PAGE.margin - left;
    let x = 0;
    this.#newLine(size);
    for (const { text, isBold } of pieces) {
      const font = isBold ? this.#fonts.bold : this.#fonts.regular;
      for (const word of this.#latin(text).split(/(?<= )/)) {
        for (const part of cutTo(width, word, font, size)) {
          const wide = font.widthOfTextAtSize(part.trimEnd(), size);
          if (x > 0 && x + wide > width) {
            this.#newLine(size);
            x = 0;
          }
          this.#page?.drawText(part, { x: left + x, y: this.#y, size, font });
          x += font.widthOfTextAtSize(part, size);
        }
      }
    }
  }

  #newLine(size: number): void {
    this.#y -= size * LEADING;
    if (this.#page !== null && this.#y >= PAGE.margin) return;
    this.#page = this.#document.addPage([PAGE.width, PAGE.height]);
    this.#y = PAGE.height - PAGE.margin - size;
  }

  #latin(text: string): string {
    let latin = '';
    for (const sign of text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').normalize('NFC')) {
      if (this.#shown.has(sign.codePointAt(0) ?? 0)) latin += sign;
      else {
        this.isTransliterated ||= sign !== '→';
        latin += anyAscii(sign);
      }
    }
    return latin;
  }
}

function cutTo(width: number, word: string, font: PDFFont, size: number): string[] {
  if (font.widthOfTextAtSize(word.trimEnd(), size) <= width) return [word];
  const parts: string[] = [];
  let part = '';
  for (const sign of word) {
    if (part !== '' && font.widthOfTextAtSize(part + sign, size) > width) {
      parts.push(part);
      part = '';
    }
    part += sign;
  }
  return [...parts, part];
}

/** `**bold**` set apart; a star that is escaped is a star. */
function boldPieces(line: string): Piece[] {
  return line
    .split(/(?<!\\)\*\*/)
    .map((text, i) => ({ text: plain(text), isBold: i % 2 === 1 }))
    .filter(({ text }) => text !== '');
}

const plain = (text: string): string => text.replace(/\\([\\`*_[\]<>#|~&])/g, '$1');
