import type { ChainEntry, WantedChain } from '../../../shared/contracts/ledger-records.js';
import { factPayloadOf } from '../../../shared/facts/fact.js';
import { CUSTODY_PARTITION } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { custodyKeyOf, isAltered, type LedgerRow } from '../append/domain/index.js';
import { custodyView } from '../custody/index.js';
import { DamagedEntry } from '../integrity/index.js';
import type { TenantTree } from '../transparency/index.js';
import type { TenantRecordReads } from './ports.js';
import { treeIndexesOf } from './read-records.js';

const SYSTEM = '_system';
const RECORDS = '_records';

/**
 * Returns entries of `_custody` about the subjects, and the named entries of `_system` and `_records`, as far as the tree
 * covers them. Of the facts of one subject it returns the last.
 */
export async function chainEntries(
  reads: TenantRecordReads,
  tree: Pick<TenantTree, 'ofChain' | 'treeIndexOf'>,
  { subjects, system_ids, record_ids }: WantedChain,
  treeSize: number,
): Promise<readonly ChainEntry[]> {
  const [custody, system, records] = await Promise.all([
    reads.custody(subjects.map(({ kind, id }) => custodyKeyOf.subject(kind, id))),
    reads.named(SYSTEM, system_ids),
    reads.named(RECORDS, record_ids),
  ]);
  const placed = [
    ...(await placedRows(tree, CUSTODY_PARTITION, custody, treeSize)).map(custodyEntry),
    ...lastOfFacts((await placedRows(tree, SYSTEM, system, treeSize)).map(namedEntry('SYSTEM'))),
    ...lastOfFacts((await placedRows(tree, RECORDS, records, treeSize)).map(namedEntry('RECORD'))),
  ];
  return placed.sort((a, b) => a.tree_index - b.tree_index);
}

interface PlacedRow {
  readonly row: LedgerRow;
  readonly tree_index: number;
}

/** Each row once, with its place. */
async function placedRows(
  tree: Pick<TenantTree, 'ofChain' | 'treeIndexOf'>,
  partition: string,
  rows: readonly LedgerRow[],
  treeSize: number,
): Promise<readonly PlacedRow[]> {
  if (rows.length === 0) return [];
  const bySeq = new Map(rows.map((row) => [row._id.seq, row]));
  const indexes = await treeIndexesOf(tree, partition, [...bySeq.keys()]);
  return [...bySeq].flatMap(([seq, row]) => {
    const tree_index = indexes.get(seq);
    return tree_index === undefined || tree_index >= treeSize ? [] : [{ row, tree_index }];
  });
}

function custodyEntry({ row, tree_index }: PlacedRow): ChainEntry {
  const { subject } = custodyView(row);
  return { tree_index, kind: 'CUSTODY', subject_type: subject.kind, subject_id: subject.id, ...placeOf(row) };
}

interface NamedEntry extends ChainEntry {
  readonly isFact: boolean;
}

const namedEntry =
  (kind: 'SYSTEM' | 'RECORD') =>
  ({ row, tree_index }: PlacedRow): NamedEntry => {
    const { record } = row;
    if (record === undefined || isAltered(row)) throw new DamagedEntry(row);
    // The service alone writes these partitions, and the bytes match their hash.
    const members: JsonObject = JSON.parse(record.toString('utf8'));
    const fact = factPayloadOf(members);
    const subject = fact?.subject ?? { kind: String(members['event_family']), id: String(members['source_record_id']) };
    const about = { subject_type: subject.kind.toUpperCase(), subject_id: subject.id };
    return { tree_index, kind, ...about, ...placeOf(row), isFact: fact !== null };
  };

/** All entries that are no facts, and the last fact of each subject. */
function lastOfFacts(entries: readonly NamedEntry[]): readonly ChainEntry[] {
  const last = new Map<string, number>();
  const nameOf = ({ subject_type, subject_id }: ChainEntry): string => `${subject_type}/${subject_id}`;
  for (const entry of entries)
    if (entry.isFact) last.set(nameOf(entry), Math.max(entry.seq, last.get(nameOf(entry)) ?? 0));
  return entries.flatMap(({ isFact, ...entry }) => (isFact && last.get(nameOf(entry)) !== entry.seq ? [] : [entry]));
}

const placeOf = ({ _id, entry_hash }: LedgerRow) => ({
  partition: _id.source_system,
  seq: _id.seq,
  entry_hash,
});
