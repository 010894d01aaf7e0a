// chain.tsv and proofs/ledger.tsv (evidence.md section 5): TAB, LF, UTF-8, a header row; `\t \n \r \\` escaped, `-` for empty.

export const CHAIN_COLUMNS = [
  'n',
  'at',
  'kind',
  'subject_type',
  'subject_id',
  'action',
  'actor_type',
  'actor_id',
  'purpose',
  'recipient',
  'sha256_before',
  'sha256_after',
  'partition',
  'seq',
  'prev_hash',
  'entry_hash',
] as const;

/** LEDGER: the append of an event; CUSTODY, SYSTEM and RECORD: an entry of `_custody`, `_system` and `_records`. */
type ChainRowKind = 'LEDGER' | 'CUSTODY' | 'SYSTEM' | 'RECORD';

/** One row of chain.tsv; rows are in the order of the tenant's tree, `n` counts from 1. Null is empty. */
export interface ChainRow {
  readonly n: number;
  readonly at: string;
  readonly kind: ChainRowKind;
  readonly subject_type: string;
  readonly subject_id: string;
  readonly action: string;
  readonly actor_type: string | null;
  readonly actor_id: string | null;
  readonly purpose: string | null;
  readonly recipient: string | null;
  readonly sha256_before: string | null;
  readonly sha256_after: string | null;
  readonly partition: string;
  readonly seq: number;
  readonly prev_hash: string;
  readonly entry_hash: string;
}

const LEDGER_COLUMNS = [
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
] as const;

/**
 * One row of proofs/ledger.tsv: the events in the order of events.jsonl, then the entries of `_custody` and `_system` in the
 * order of chain.tsv. The header of section 2 follows from it and the tenant.
 */
interface LedgerProofRow {
  readonly event_id: string;
  readonly source_system: string;
  readonly seq: number;
  readonly recorded_at: string;
  /** Hex; null for an entry that is not fully disclosed. */
  readonly seed: string | null;
  readonly commit: string;
  readonly fields: string;
  /** Hex; null for an entry that names no member. */
  readonly member_tag: string | null;
  readonly prev: string;
  readonly entry_hash: string;
  readonly tree_index: number;
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
const ESCAPED = /[\t\n\r\\]/g;
const NEEDS_ESCAPE = /[\t\n\r\\]/;

/** Formats one cell. An escape distinguishes the value `-` from an empty one. */
function tsvCell(value: string | number | null): string {
  if (value === null || value === '') return '-';
  if (typeof value === 'number') return String(value);
  if (value === '-') return '\\-';
  return NEEDS_ESCAPE.test(value) ? value.replace(ESCAPED, (character) => ESCAPES[character] ?? character) : value;
}

/** A whole line with its LF. */
export const tsvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(tsvCell).join('\t')}\n`;

/** proofs/logs.tsv: the leaves of each log of the manifest, in its order. */
export const LOGS_HEADER = tsvLine(['log', 'cause', 'entry_hash', 'event', 'reason']);

export const CHAIN_HEADER = tsvLine(CHAIN_COLUMNS);
export const LEDGER_HEADER = tsvLine(LEDGER_COLUMNS);

export const chainLine = (row: ChainRow): string => tsvLine(CHAIN_COLUMNS.map((column) => row[column]));

export const ledgerLine = (row: LedgerProofRow): string => tsvLine(LEDGER_COLUMNS.map((column) => row[column]));
