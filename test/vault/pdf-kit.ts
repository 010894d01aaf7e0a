import { inflateSync } from 'node:zlib';
import { degrees, PDFDocument, PDFName, StandardFonts } from 'pdf-lib';

export interface Written {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly rotate?: number;
  /** From 0. */
  readonly page?: number;
}

/** A letter with metadata and an attachment. */
export async function pdfOf(lines: readonly Written[], withAttachment = true): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.setTitle('secret title');
  if (withAttachment) await document.attach(Buffer.from('secret attachment'), 'secret attachment.txt');
  const font = await document.embedFont(StandardFonts.TimesRoman);
  const last = Math.max(...lines.map(({ page = 0 }) => page));
  const pages = Array.from({ length: last + 1 }, () => document.addPage([612, 792]));
  for (const { text, x, y, rotate = 0, page = 0 } of lines)
    pages[page]?.drawText(text, { x, y, size: 12, font, rotate: degrees(rotate) });
  return document.save();
}

/** A letter over a tiling pattern that repeats a text, like a watermark. */
export async function tiledPdf(text: string): Promise<Uint8Array> {
  const document = await PDFDocument.load(await pdfOf([{ text: `Letter of ${text}`, x: 72, y: 700 }]));
  const [page] = document.getPages();
  const font = document.context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont: 'Helvetica' });
  const tile = document.context.stream(`BT /F1 12 Tf 5 10 Td (${text}) Tj ET`, {
    Type: 'Pattern',
    PatternType: 1,
    PaintType: 1,
    TilingType: 1,
    BBox: [0, 0, 100, 50],
    XStep: 100,
    YStep: 50,
    Resources: { Font: { F1: font } },
  });
  page?.node.Resources()?.set(PDFName.of('Pattern'), document.context.obj({ P1: document.context.register(tile) }));
  const painted = document.context.stream('/Pattern cs /P1 scn 72 300 300 100 re f');
  page?.node.addContentStream(document.context.register(painted));
  return document.save();
}

/** The whole file and its decompressed streams in Latin-1, with hexadecimal strings unchanged. */
export function decompressedStreams(bytes: Uint8Array): string {
  const file = Buffer.from(bytes).toString('latin1');
  const parts = [file];
  for (const match of file.matchAll(/stream\r?\n([\s\S]*?)endstream/g)) {
    try {
      const stream = inflateSync(Buffer.from(match[1] ?? '', 'latin1')).toString('latin1');
      const words = [...stream.matchAll(/<([0-9A-Fa-f]+)>/g)].map(([, hex = '']) =>
        Buffer.from(hex, 'hex').toString('latin1'),
      );
      parts.push(stream, words.join(' '));
    } catch {
      // Not deflated: the file itself, which is searched too, holds it as it is.
    }
  }
  return parts.join('\n');
}
