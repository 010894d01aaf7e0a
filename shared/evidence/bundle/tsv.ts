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

/** LEDGER: the append of an event; CUSTODY and SYSTEM: an entry of the partitions `_custody` and `_system`. */
export type ChainRowKind = 'LEDGER' | 'CUSTODY' | 'SYSTEM';

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

export const LEDGER_COLUMNS = [
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
] as const;

/**
 * One row of proofs/ledger.tsv: the events in the order of events.jsonl, then the entries of `_custody` and `_system` in the
 * order of chain.tsv. The header of section 2 follows from it and the tenant.
 */
export interface LedgerProofRow {
  readonly event_id: string;
  readonly source_system: string;
  readonly seq: number;
  readonly recorded_at: string;
  /** Hex; null for an entry that is not fully disclosed. */
  readonly seed: string | null;
  readonly commit: string;
  readonly fields: string;
  readonly prev: string;
  readonly entry_hash: string;
  readonly tree_index: number;
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
const ESCAPED = /[\t\n\r\\]/g;
const NEEDS_ESCAPE = /[\t\n\r\\]/;

/** One cell. A value that is itself `-` is told from an empty one by an escape. */
export function tsvCell(value: string | number | null): string {
  if (value === null || value === '') return '-';
  if (typeof value === 'number') return String(value);
  if (value === '-') return '\\-';
  return NEEDS_ESCAPE.test(value) ? value.replace(ESCAPED, (character) => ESCAPES[character] ?? character) : value;
}

/** A whole line with its LF. */
export const tsvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(tsvCell).join('\t')}\n`;

export const CHAIN_HEADER = tsvLine(CHAIN_COLUMNS);
export const LEDGER_HEADER = tsvLine(LEDGER_COLUMNS);

export const chainLine = (row: ChainRow): string => tsvLine(CHAIN_COLUMNS.map((column) => row[column]));

export const ledgerLine = (row: LedgerProofRow): string => tsvLine(LEDGER_COLUMNS.map((column) => row[column]));
