import type { ChainEntry, WantedChain } from '../../../shared/contracts/ledger-records.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { CUSTODY_PARTITION } from '../../../shared/ids/tenant.js';
import { custodyKeyOf } from '../domain/custody-keys.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import type { TenantRecordReads } from './ports/record-reads.js';
import type { TenantTree } from './ports/tree-store.js';
import { custodyView } from './read-custody.js';
import { treeIndexesOf } from './read-records.js';
import { DamagedEntry } from './verify-on-read.js';

const SYSTEM = '_system';

/** Entries of `_custody` about the subjects, and the named ones of `_system`, as far as the tree covers them. */
export async function chainEntries(
  reads: TenantRecordReads,
  tree: Pick<TenantTree, 'ofChain' | 'treeIndexOf'>,
  { subjects, system_ids }: WantedChain,
  treeSize: number,
): Promise<readonly ChainEntry[]> {
  const [custody, system] = await Promise.all([
    reads.custody(subjects.map(({ kind, id }) => custodyKeyOf.subject(kind, id))),
    reads.systemEntries(system_ids),
  ]);
  const placed = [
    ...(await placedRows(tree, CUSTODY_PARTITION, custody, treeSize)).map(custodyEntry),
    ...(await placedRows(tree, SYSTEM, system, treeSize)).map(systemEntry),
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
  const view = custodyView(row);
  return {
    tree_index,
    kind: 'CUSTODY',
    at: view.at,
    subject_type: view.subject.kind,
    subject_id: view.subject.id,
    action: view.action,
    actor_type: view.actor.type,
    actor_id: view.actor.id,
    purpose: view.purpose ?? null,
    recipient: view.recipient ?? null,
    sha256_before: view.sha256_before ?? null,
    sha256_after: view.sha256_after ?? null,
    ...linkOf(row),
  };
}

function systemEntry({ row, tree_index }: PlacedRow): ChainEntry {
  const { record, worm_sha256 } = row;
  if (record === undefined || sha256Hex(record) !== worm_sha256) throw new DamagedEntry(row);
  const { event_type, event_family, event_effective_timestamp, source_record_id } = JSON.parse(
    record.toString('utf8'),
  ) as Readonly<Record<'event_type' | 'event_family' | 'event_effective_timestamp' | 'source_record_id', string>>;
  return {
    tree_index,
    kind: 'SYSTEM',
    at: event_effective_timestamp,
    subject_type: event_family.toUpperCase(),
    subject_id: source_record_id,
    action: event_type,
    actor_type: 'SERVICE',
    actor_id: null,
    purpose: null,
    recipient: null,
    sha256_before: null,
    sha256_after: null,
    ...linkOf(row),
  };
}

const linkOf = ({ _id, prev_hash, entry_hash }: LedgerRow) => ({
  partition: _id.source_system,
  seq: _id.seq,
  prev_hash,
  entry_hash,
});
