import { decodeText } from './decode-text.js';
import { DocumentFault } from './document-fault.js';
import { cdaText, fhirText, htmlText, isCda, xmlText } from './markup-text.js';
import { type Reading, readingOf } from './readable-types.js';
import { rtfText } from './rtf-text.js';
import { refuseZipBomb } from './unzip.js';

/** Of all entries of an office document together. */
const MAX_UNZIPPED_BYTES = 128 * 1_048_576;

export interface Extraction {
  readonly bytes: Uint8Array;
  readonly maxPages: number;
  /** Longer texts are cut: what stands beyond is not found. */
  readonly maxCharacters: number;
}

type Extractor = (work: Extraction) => Promise<string> | string;

const EXTRACTORS: Readonly<Record<Reading, Extractor>> = {
  pdf: pdfText,
  docx: docxText,
  html: ({ bytes }) => htmlText(decodeText(bytes)),
  rtf: ({ bytes }) => rtfText(Buffer.from(bytes).toString('latin1')),
  xml: ({ bytes }) => narrative(decodeText(bytes)),
  fhir: ({ bytes }) => fhirText(decodeText(bytes)),
  plain: ({ bytes }) => decodeText(bytes),
};

const narrative = (source: string): string => (isCda(source) ? cdaText(source) : xmlText(source));

/** The words of a document. @throws DocumentFault */
export async function extractText(mediaType: string, work: Extraction): Promise<string> {
  const reading = readingOf(mediaType);
  if (reading === undefined) throw new DocumentFault('UNREADABLE');
  try {
    return (await EXTRACTORS[reading](work)).slice(0, work.maxCharacters);
  } catch (error) {
    // Libraries' own errors may hold what they were reading.
    throw error instanceof DocumentFault ? error : new DocumentFault('UNREADABLE');
  }
}

async function pdfText({ bytes, maxPages, maxCharacters }: Extraction): Promise<string> {
  const { openPdf, pagesOf } = await import('./pdf-open.js');
  const document = await openPdf(bytes, maxPages);
  let text = '';
  for await (const page of pagesOf(document)) {
    const { items } = await page.getTextContent();
    for (const item of items) if ('str' in item) text += item.str + (item.hasEOL ? '\n' : '');
    text += '\n';
    if (text.length >= maxCharacters) break;
  }
  return text;
}

async function docxText({ bytes }: Extraction): Promise<string> {
  const buffer = Buffer.from(bytes);
  refuseZipBomb(buffer, MAX_UNZIPPED_BYTES);
  const { default: mammoth } = await import('mammoth');
  return (await mammoth.extractRawText({ buffer })).value;
}
