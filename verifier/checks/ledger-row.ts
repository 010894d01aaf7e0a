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

/** Undefined for a line of another form. Most rows are read by `PlainRow`, in their bytes. */
export function readLedgerRow(line: string): LedgerRow | undefined {
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
