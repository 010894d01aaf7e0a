import { problem } from '../../errors/problem.js';
import type { CHAIN_COLUMNS } from '../bundle/tsv.js';
import { byteLines } from './byte-lines.js';

/** A row of `chain.tsv` by its column names, without the empty columns. */
export type TraceRow = Readonly<Partial<Record<(typeof CHAIN_COLUMNS)[number], string>>>;

const ESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\', '-': '-' };

/** Takes the escapes of tsvCell back (bundle/tsv.ts). */
const unescapedCell = (cell: string): string =>
  cell.includes('\\') ? cell.replace(/\\([tnr\\-])/g, (_, letter: string) => ESCAPED[letter] ?? '') : cell;

/** @throws INTEGRITY_FAILURE for a row that has not as many cells as the header */
export async function* traceRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TraceRow> {
  let columns: readonly string[] | null = null;
  for await (const line of byteLines(chunks)) {
    const cells = line.toString('utf8').split('\t');
    if (columns === null) {
      columns = cells;
      continue;
    }
    const names: readonly string[] = columns;
    if (cells.length !== names.length) throw problem('INTEGRITY_FAILURE', { internal: 'a row of chain.tsv is torn' });
    yield Object.fromEntries(cells.flatMap((cell, i) => (cell === '-' ? [] : [[names[i] ?? '', unescapedCell(cell)]])));
  }
}
