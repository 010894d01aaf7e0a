import { fault, problem } from '../../../../shared/errors/problem.js';
import type { DocumentRedactor } from '../../service/ports/document-redactor.js';
import { DocumentFault, type DocumentFaultCode } from './document-fault.js';
import type { DocumentProcesses } from './document-processes.js';

const WHY: Readonly<Record<Exclude<DocumentFaultCode, 'NOT_FOUND'>, string>> = {
  UNREADABLE: 'The document cannot be read as what it says it is.',
  ENCRYPTED: 'The document is encrypted; nobody can say what it holds.',
  TOO_MANY_PAGES: 'The document has more pages than are redacted.',
  TOO_LARGE: 'The document is too large to be redacted.',
  TIMEOUT: 'The document could not be redacted within the time allowed.',
  OUT_OF_MEMORY: 'The document needs more memory than allowed to be redacted.',
  UNSURE: 'The places of the terms cannot be told for sure in this document; name pages or regions in their place.',
};

/** Redacts documents in processes of their own. */
export const processRedactor = (processes: DocumentProcesses, maxPages: number): DocumentRedactor => ({
  async redact({ mediaType, bytes, terms, pages }) {
    try {
      const answer = await processes.run({ kind: 'redact', mediaType, bytes, terms, pages, maxPages });
      if (answer.kind === 'bytes') return answer.bytes;
    } catch (error) {
      if (error instanceof DocumentFault) throw refusal(error);
      throw error;
    }
    throw new Error('a redaction came back without a document');
  },
});

function refusal({ code, missing }: DocumentFault): Error {
  if (code !== 'NOT_FOUND') return problem('CONFLICT', { message: WHY[code] });
  return problem('VALIDATION_ERROR', {
    errors: [
      ...missing.terms.map((i) => fault(`/terms/${i}`, 'not-found', 'Stands nowhere in the document.')),
      ...missing.pages.map((i) => fault(`/pages/${i}`, 'not-found', 'The document has no such page.')),
    ],
  });
}
