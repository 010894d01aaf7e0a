export { openCodeFile } from './adapters/code-source.js';
export { type CodesReport, type ImportCodesOptions, importCodes } from './import-codes.js';
export { codeImport, codeTables } from './model.js';
export type { CodeEntry, CodeTables } from './ports.js';
export { codeTablesArea } from './wiring.js';
