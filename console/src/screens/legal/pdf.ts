import { getDocument, type PDFDocumentLoadingTask } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { WorkerMessageHandler } from 'pdfjs-dist/legacy/build/pdf.worker.mjs';

// The content policy lets no text become the address of a worker (Trusted Types), so the library works in the page. It takes
// its worker's code from this global.
Object.assign(globalThis, { pdfjsWorker: { WorkerMessageHandler } });

/** Opens a PDF. Nothing in it runs, and it asks no other address. */
export const openPdf = (bytes: ArrayBuffer): PDFDocumentLoadingTask =>
  getDocument({
    // The library takes ownership of the buffer.
    data: bytes.slice(0),
    isEvalSupported: false,
    enableXfa: false,
    useWasm: false,
    useWorkerFetch: false,
    maxImageSize: 64_000_000,
    verbosity: 0,
  });
