import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getDocument, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { DocumentFault } from '../processes/messages.js';

export type { PDFPageProxy };

const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
/** Larger images are not decoded. */
const MAX_IMAGE_PIXELS = 64_000_000;

/**
 * Opens a PDF without running or fetching anything in it.
 *
 * @throws DocumentFault
 */
export async function openPdf(bytes: Uint8Array, maxPages: number): Promise<PDFDocumentProxy> {
  // The library takes ownership of the buffer.
  const task = getDocument({
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    stopAtErrors: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    standardFontDataUrl: join(folder, 'standard_fonts/'),
    cMapUrl: join(folder, 'cmaps/'),
    cMapPacked: true,
    wasmUrl: join(folder, 'wasm/'),
    verbosity: 0,
  });
  let document: PDFDocumentProxy;
  try {
    document = await task.promise;
  } catch (error) {
    throw new DocumentFault(error instanceof Error && error.name === 'PasswordException' ? 'ENCRYPTED' : 'UNREADABLE');
  }
  if (document.numPages <= maxPages) return document;
  await task.destroy();
  throw new DocumentFault('TOO_MANY_PAGES');
}

/** Yields the pages in order; releases each before the next. */
export async function* pagesOf(document: PDFDocumentProxy): AsyncGenerator<PDFPageProxy> {
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    yield page;
    page.cleanup();
  }
}
