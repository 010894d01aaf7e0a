import type { ExportRecord } from './export-record.js';
import { LOAD_FILE_COLUMNS } from './load-columns.js';

// Load files of document review: one row a record.

// Concordance's own characters, in UTF-8: 0x14 between fields, thorn around them, the registered sign for a line break.
const FIELD = '\u0014';
const QUOTE = '\u00fe';
const LINE_BREAK = '\u00ae';
const BYTE_ORDER_MARK = '\ufeff';

/** Control characters but those of line breaks, the quote itself, and the sign that would be read as a line break. */
const UNFIT = /[\u00fe\u00ae]|(?![\r\n])\p{Cc}/gu;

/** Load files know no escape for their own characters: breaks are kept as the sign for them, the others become a space. */
export const datCell = (value: string | number | null): string => {
  const text = String(value ?? '').replace(UNFIT, ' ');
  return `${QUOTE}${text.replace(/\r\n|\r|\n/g, LINE_BREAK)}${QUOTE}`;
};

/** A DAT file, a line a chunk: UTF-8 with a byte order mark, CRLF. */
export async function* concordanceDat(records: AsyncIterable<ExportRecord>): AsyncGenerator<string> {
  const line = (cells: readonly (string | number | null)[]): string => `${cells.map(datCell).join(FIELD)}\r\n`;
  yield BYTE_ORDER_MARK + line(LOAD_FILE_COLUMNS.map(([name]) => name));
  for await (const record of records) yield line(LOAD_FILE_COLUMNS.map(([, cell]) => cell(record)));
}

/** What a spreadsheet would take for a formula (OWASP "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** RFC 4180; text that a spreadsheet would run begins with an apostrophe, which makes it text there. */
export function csvCell(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = value === null ? '' : value;
  const guarded = FORMULA.test(text.trimStart()) || FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

/** A CSV file, a line a chunk: UTF-8, a header row, CRLF. */
export async function* csvLoadFile(records: AsyncIterable<ExportRecord>): AsyncGenerator<string> {
  const line = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`;
  yield line(LOAD_FILE_COLUMNS.map(([name]) => name));
  for await (const record of records) yield line(LOAD_FILE_COLUMNS.map(([, cell]) => cell(record)));
}
