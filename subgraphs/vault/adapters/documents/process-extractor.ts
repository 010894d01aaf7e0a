import type { TextExtractor } from '../../service/ports/text-extractor.js';
import { DocumentFault } from './document-fault.js';
import type { DocumentProcesses } from './document-processes.js';
import { isReadable } from './readable-types.js';

export interface ExtractLimits {
  readonly maxPages: number;
  readonly maxCharacters: number;
}

/** Reads documents in processes of their own. */
export const processExtractor = (processes: DocumentProcesses, limits: ExtractLimits): TextExtractor => ({
  canRead: isReadable,
  async extract(mediaType, bytes) {
    try {
      const answer = await processes.run({ kind: 'extract', mediaType, bytes, ...limits });
      return answer.kind === 'text' ? { text: answer.text } : { fault: 'UNREADABLE' };
    } catch (error) {
      if (error instanceof DocumentFault) return { fault: error.code };
      throw error;
    }
  },
});
