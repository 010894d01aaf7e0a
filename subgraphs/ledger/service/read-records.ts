import { isoTime } from '../../../shared/clock/clock.js';
import type {
  EntryPlace,
  EventSelection,
  LedgerHead,
  LedgerRecord,
  SelectedPage,
} from '../../../shared/contracts/ledger-records.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { problem } from '../../../shared/errors/problem.js';
import { entryHash } from '../../../shared/evidence/chain.js';
import type { Committer } from '../../../shared/evidence/commitments.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import type { ChainPlace, TenantRecordReads } from './ports/record-reads.js';
import type { TenantTree } from './ports/tree-store.js';
import type { TenantContext } from './tenant-context.js';
import { DamagedEntry } from './verify-on-read.js';

const SELECT_ROWS = 5_000;
/** Sequences this dense are read as a range, which costs less than look-ups. */
const DENSE = 3;

/** Places of the selected events that stand in the first `treeSize` entries of the tree. */
export async function selectPlaces(
  reads: TenantRecordReads,
  tree: Pick<TenantTree, 'ofChain' | 'treeIndexOf'>,
  selection: EventSelection,
  treeSize: number,
  cursor: string | null,
): Promise<SelectedPage> {
  const { places, next } = await reads.select(selection, cursor, SELECT_ROWS);
  const found = await Promise.all(
    [...byChain(places)].map(async ([source_system, sequences]) => {
      const indexes = await treeIndexesOf(tree, source_system, sequences);
      return sequences.flatMap((seq): EntryPlace[] => {
        const tree_index = indexes.get(seq);
        return tree_index === undefined || tree_index >= treeSize ? [] : [{ tree_index, source_system, seq }];
      });
    }),
  );
  return { places: found.flat(), next_cursor: next };
}

/** Where entries of one chain stand in the tree; one that has no place yet is left out. */
export async function treeIndexesOf(
  tree: Pick<TenantTree, 'ofChain' | 'treeIndexOf'>,
  sourceSystem: string,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const [first, last] = boundsOf(sequences);
  const span = last - first + 1;
  if (span > sequences.length * DENSE) return tree.treeIndexOf(sourceSystem, sequences);
  const rows = await tree.ofChain(sourceSystem, first, span);
  return new Map(rows.map(({ seq, tree_index }) => [seq, tree_index]));
}

/** Records in the order asked for. @throws INTEGRITY_FAILURE for a place without its entry, and for a damaged record */
export async function recordsAt(
  tenant: Pick<TenantContext, 'tenantId' | 'ledger'>,
  reads: TenantRecordReads,
  committer: Committer,
  places: readonly ChainPlace[],
): Promise<readonly LedgerRecord[]> {
  const rows = new Map<string, LedgerRow>();
  await Promise.all(
    [...byChain(places)].map(async ([source_system, sequences]) => {
      const [first, last] = boundsOf(sequences);
      const span = last - first + 1;
      const found =
        span <= sequences.length * DENSE
          ? await tenant.ledger.rows(source_system, first, last, span)
          : await reads.rows(sequences.map((seq) => ({ source_system, seq })));
      for (const row of found) rows.set(keyOf(row._id), row);
    }),
  );
  return places.map((place) => {
    const row = rows.get(keyOf(place));
    if (!row) throw problem('INTEGRITY_FAILURE', { internal: 'an entry of the tree is not in the ledger' });
    return recordOf(tenant.tenantId, committer, row);
  });
}

/** The last entry of each chain within the tree, by source_system. */
export async function headsWithin(
  tenant: Pick<TenantContext, 'ledger'>,
  reads: TenantRecordReads,
  treeSize: number,
): Promise<readonly LedgerHead[]> {
  const names = await tenant.ledger.sourceSystems();
  const heads = await Promise.all(names.map((name) => reads.headWithin(name, treeSize)));
  return names.flatMap((source_system, i) => {
    const head = heads[i];
    return head ? [{ source_system, ...head }] : [];
  });
}

/** What leaves is what the chain holds: record, commitment and link are computed again. */
function recordOf(tenantId: string, committer: Committer, row: LedgerRow): LedgerRecord {
  const { _id, event_id, commit, fields, prev_hash, entry_hash, record, seed, worm_sha256, disposal_id } = row;
  const { source_system, seq } = _id;
  const recorded_at = isoTime(row.recorded_at.getTime());
  const header = { commit, event_id, fields, prev: prev_hash, recorded_at, seq, source_system, tenant_id: tenantId };
  if (entryHash(header) !== entry_hash) throw new DamagedEntry(row);
  const known = { event_id, source_system, seq, recorded_at, commit, fields, prev_hash, entry_hash };
  if (disposal_id !== undefined) {
    return { ...known, record: null, seed: null, worm_sha256: null, disposal_id };
  }
  if (record === undefined || seed === undefined || worm_sha256 === undefined) throw new DamagedEntry(row);
  if (sha256Hex(record) !== worm_sha256 || committer.recordCommit(seed, record) !== commit) throw new DamagedEntry(row);
  const text = record.toString('utf8');
  return { ...known, record: text, seed: seed.toString('hex'), worm_sha256, disposal_id: null };
}

const keyOf = ({ source_system, seq }: ChainPlace): string => `${seq} ${source_system}`;

function byChain(places: readonly ChainPlace[]): ReadonlyMap<string, number[]> {
  const chains = new Map<string, number[]>();
  for (const { source_system, seq } of places) {
    const known = chains.get(source_system);
    if (known) known.push(seq);
    else chains.set(source_system, [seq]);
  }
  return chains;
}

function boundsOf(sequences: readonly number[]): readonly [number, number] {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const seq of sequences) {
    first = Math.min(first, seq);
    last = Math.max(last, seq);
  }
  return [first, last];
}
