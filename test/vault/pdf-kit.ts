import { inflateSync } from 'node:zlib';
import { degrees, PDFDocument, StandardFonts } from 'pdf-lib';

export interface Written {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly rotate?: number;
}

/** A letter with metadata and an attachment. */
export async function pdfOf(lines: readonly Written[], withAttachment = true): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.setTitle('secret title');
  if (withAttachment) await document.attach(Buffer.from('secret attachment'), 'secret attachment.txt');
  const font = await document.embedFont(StandardFonts.TimesRoman);
  const page = document.addPage([612, 792]);
  for (const { text, x, y, rotate = 0 } of lines)
    page.drawText(text, { x, y, size: 12, font, rotate: degrees(rotate) });
  return document.save();
}

/** The whole file with every stream decompressed beside it, in Latin-1; words of hexadecimal strings as they are, too. */
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
