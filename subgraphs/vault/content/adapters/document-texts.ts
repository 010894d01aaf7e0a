import type { Config } from '../../../../shared/config/config.js';
import type { Texts } from '../../../../shared/evidence/edx/production.js';
import type { TextExtractor } from '../ports.js';
import { DocumentProcesses, processExtractor } from './processes/document-processes.js';

/** Concurrent processes: extraction is pure processor time. */
export const TEXT_PROCESSES = 2;
const MAX_PAGES = 5_000;
const MAX_CHARACTERS = 2_000_000;

/** Reads documents in processes of their own, within the limits of the configuration. */
export function textExtractor({ timeoutMs, memoryMb }: Config['redaction']): TextExtractor {
  const processes = new DocumentProcesses({ timeoutMs, memoryMb, concurrency: TEXT_PROCESSES });
  return processExtractor(processes, { maxPages: MAX_PAGES, maxCharacters: MAX_CHARACTERS });
}

/** The texts of documents for productions. */
export function documentTexts(settings: Config['redaction']): Texts {
  const extractor = textExtractor(settings);
  return {
    maxBytes: settings.maxTextBytes,
    extract: async (mediaType, bytes) =>
      extractor.canRead(mediaType) ? extractor.extract(mediaType, bytes) : { fault: 'UNSUPPORTED' },
  };
}
