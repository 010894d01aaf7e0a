export { documentTexts, TEXT_PROCESSES, textExtractor } from './adapters/document-texts.js';
export { DocumentProcesses, processRedactor } from './adapters/processes/document-processes.js';
export type { DocumentRedactor, TextExtractor } from './ports.js';
