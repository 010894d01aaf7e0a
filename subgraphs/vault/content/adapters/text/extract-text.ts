import { DocumentFault } from '../processes/messages.js';
import { cdaText, fhirText, htmlText, isCda, xmlText } from './markup-text.js';
import { decodeText } from './plain-text.js';
import { type Reading, readingOf } from './readable-types.js';
import { rtfText } from './rtf-text.js';
import { refuseZipBomb } from './unzip.js';

/** Limit for all entries of an office document together. */
const MAX_UNZIPPED_BYTES = 128 * 1_048_576;

interface Extraction {
  readonly bytes: Uint8Array;
  readonly maxPages: number;
  /** Longer texts are cut; the search does not find the rest. */
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

/**
 * Extracts the text of a document.
 *
 * @throws DocumentFault
 */
export async function extractText(mediaType: string, work: Extraction): Promise<string> {
  const reading = readingOf(mediaType);
  if (reading === undefined) throw new DocumentFault('UNREADABLE');
  try {
    return (await EXTRACTORS[reading](work)).slice(0, work.maxCharacters);
  } catch (error) {
    // Errors of the libraries may quote the content.
    throw error instanceof DocumentFault ? error : new DocumentFault('UNREADABLE');
  }
}

async function pdfText({ bytes, maxPages, maxCharacters }: Extraction): Promise<string> {
  const { openPdf, pagesOf } = await import('../pdf/open.js');
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
  await refuseZipBomb(buffer, MAX_UNZIPPED_BYTES);
  const { default: mammoth } = await import('mammoth');
  return (await mammoth.extractRawText({ buffer })).value;
}
