import { fromDecimal, isHash } from '../text/bytes.js';
import { isInstant } from '../text/instants.js';
import { tsvCells } from '../text/tsv.js';

const COLUMNS = [
  'event_id',
  'source_system',
  'seq',
  'recorded_at',
  'seed',
  'commit',
  'fields',
  'member_tag',
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
  /** The member of the record by a keyed hash, or null. */
  readonly member_tag: string | null;
  readonly prev: string;
  readonly entry_hash: string;
  readonly tree_index: number;
}

/** Parses a row; returns undefined for an invalid line. `PlainRow` reads most rows directly from their bytes. */
export function readLedgerRow(line: string): LedgerRow | undefined {
  const cells = tsvCells(line, COLUMNS.length);
  if (cells === undefined) return undefined;
  const [event_id, source_system, seqText, recorded_at, seed, commit, fields, member_tag, prev, entry_hash, indexText] =
    cells;
  const seq = fromDecimal(seqText ?? '');
  const tree_index = fromDecimal(indexText ?? '');
  if (event_id == null || source_system == null || seq === undefined || seq < 1 || tree_index === undefined)
    return undefined;
  if (!isInstant(recorded_at) || seed === undefined || (seed !== null && !isHash(seed))) return undefined;
  if (member_tag === undefined || (member_tag !== null && !isHash(member_tag))) return undefined;
  if (!isHash(commit) || !isHash(fields) || !isHash(prev) || !isHash(entry_hash)) return undefined;
  return { event_id, source_system, seq, recorded_at, seed, commit, fields, member_tag, prev, entry_hash, tree_index };
}
