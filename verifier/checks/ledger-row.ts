import { isInstant } from '../manifest/manifest-shape.js';
import { fromDecimal, isHash } from '../text/bytes.js';
import { tsvCells } from '../text/tsv.js';

const COLUMNS = [
  'event_id',
  'source_system',
  'seq',
  'recorded_at',
  'seed',
  'commit',
  'fields',
  'prev',
  'entry_hash',
  'tree_index',
];
export const LEDGER_HEADER = COLUMNS.join('\t');

/** A row of proofs/ledger.tsv. */
export interface LedgerRow {
  readonly event_id: string;
  readonly source_system: string;
  readonly seq: number;
  readonly recorded_at: string;
  readonly seed: string | null;
  readonly commit: string;
  readonly fields: string;
  readonly prev: string;
  readonly entry_hash: string;
  readonly tree_index: number;
}

const CELL = '(?!-\\t)([^\\t\\r\\\\]+)';
const HASH = '([0-9a-f]{64})';
const NUMBER = '(0|[1-9][0-9]{0,15})';
const INSTANT = '([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z)';
/** A row of an event without escapes, as nearly every row is: read in one go in place of cell by cell. */
const PLAIN_ROW = new RegExp(`^${[CELL, CELL, NUMBER, INSTANT, HASH, HASH, HASH, HASH, HASH, NUMBER].join('\\t')}$`);

/** Undefined for a line of another form. */
export function readLedgerRow(line: string): LedgerRow | undefined {
  const plain = PLAIN_ROW.exec(line);
  return plain === null ? readCells(line) : (plainRow(plain) ?? readCells(line));
}

/** Undefined where a number is none that can be relied on; `readCells` says what the row is then. */
function plainRow(cells: readonly string[]): LedgerRow | undefined {
  const [, event_id = '', source_system = '', seqText, recorded_at = '', seed = ''] = cells;
  const seq = Number(seqText);
  const tree_index = Number(cells[10]);
  if (!(seq >= 1) || !Number.isSafeInteger(seq) || !Number.isSafeInteger(tree_index)) return undefined;
  const [commit = '', fields = '', prev = '', entry_hash = ''] = [cells[6], cells[7], cells[8], cells[9]];
  return { event_id, source_system, seq, recorded_at, seed, commit, fields, prev, entry_hash, tree_index };
}

function readCells(line: string): LedgerRow | undefined {
  const cells = tsvCells(line, COLUMNS.length);
  if (cells === undefined) return undefined;
  const [event_id, source_system, seqText, recorded_at, seed, commit, fields, prev, entry_hash, indexText] = cells;
  const seq = fromDecimal(seqText ?? '');
  const tree_index = fromDecimal(indexText ?? '');
  if (event_id == null || source_system == null || seq === undefined || seq < 1 || tree_index === undefined)
    return undefined;
  if (!isInstant(recorded_at) || seed === undefined || (seed !== null && !isHash(seed))) return undefined;
  if (!isHash(commit) || !isHash(fields) || !isHash(prev) || !isHash(entry_hash)) return undefined;
  return { event_id, source_system, seq, recorded_at, seed, commit, fields, prev, entry_hash, tree_index };
}
