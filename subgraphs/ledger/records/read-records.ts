import { isoTime } from '../../../shared/clock/clock.js';
import type {
  EntryPlace,
  EventSelection,
  LedgerHead,
  LedgerRecord,
  SelectedPage,
  TreeAt,
  WantedBlock,
} from '../../../shared/contracts/ledger-records.js';
import { problem } from '../../../shared/errors/problem.js';
import { BLOCK_LEAVES, type BlockProof } from '../../../shared/evidence/bundle/inclusion.js';
import { TreeView } from '../../../shared/merkle/tree-view.js';
import { isAltered, isLinked, type LedgerRow } from '../append/domain/index.js';
import type { TenantContext } from '../append/index.js';
import { DamagedEntry } from '../integrity/index.js';
import type { RowDisposals } from '../row-proofs/index.js';
import { StoredTiles, type TenantTree, type TileCache, TreeFault } from '../transparency/index.js';
import { areLeaves, blockWidth, provenBlock, stepsInBlock, walkBlock } from './domain.js';
import type { ChainPlace, TenantRecordReads } from './ports.js';

const SELECT_ROWS = 5_000;
/** Sequences this dense are read as a range, which costs less than single look-ups. */
const DENSE = 3;

/** Returns the places of the selected events within the first `treeSize` entries of the tree. */
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

/** Returns the tree indexes of entries of one chain; omits entries without an index. */
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

/**
 * Returns records in the requested order.
 *
 * @throws INTEGRITY_FAILURE for a place without an entry and for a damaged record.
 */
export async function recordsAt(
  tenant: Pick<TenantContext, 'tenantId' | 'ledger'>,
  { reads, rowDisposals }: { readonly reads: TenantRecordReads; readonly rowDisposals: RowDisposals },
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
  const asked = places.map((place) => {
    const row = rows.get(keyOf(place));
    if (!row) throw problem('INTEGRITY_FAILURE', { internal: 'an entry of the tree is not in the ledger' });
    return row;
  });
  const disposals = await rowDisposals(tenant, asked);
  return asked.map((row, i) => recordOf(row, disposals[i] ?? null));
}

/** Returns the last entry of each chain within the tree, by source_system. */
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

/**
 * Recomputes record hash, commitment and link, so that only what the chain holds leaves the ledger.
 *
 * @param disposal_id the proven disposal of the event; null for an event that is kept.
 */
function recordOf(row: LedgerRow, disposal_id: string | null): LedgerRecord {
  const { _id, event_id, commit, fields, member_tag, prev_hash, entry_hash, record, seed, worm_sha256 } = row;
  const { source_system, seq } = _id;
  const recorded_at = isoTime(row.recorded_at.getTime());
  if (!isLinked(row) || isAltered(row)) throw new DamagedEntry(row);
  const known = { event_id, source_system, seq, recorded_at, commit, fields, member_tag, prev_hash, entry_hash };
  if (disposal_id !== null) {
    return { ...known, record: null, seed: null, worm_sha256: null, disposal_id };
  }
  if (record === undefined || seed === undefined || worm_sha256 === undefined) throw new DamagedEntry(row);
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

/**
 * Proves many leaves: reads each block's tile once, and its path from the tiles above. Checks each proof before it
 * returns it. If a proof fails, reads the stored tiles again before it reports damage.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function proveBlocks(
  cache: TileCache,
  tenantId: string,
  tree: TenantTree,
  at: TreeAt & { readonly root_hash: string },
  blocks: readonly WantedBlock[],
): Promise<readonly BlockProof[]> {
  const name = { tenantId, incarnation: at.incarnation };
  for (const remembered of [cache, null]) {
    try {
      const tiles = new StoredTiles(tree, name, remembered, remembered !== null);
      const proofs = await proofsFrom(tiles, at, blocks);
      if (proofs !== null) return proofs;
    } catch (error) {
      if (!(error instanceof TreeFault)) throw error;
    }
    cache.forget(tenantId);
  }
  throw problem('INTEGRITY_FAILURE', { internal: 'entries are not the leaves of the signed tree' });
}

async function proofsFrom(
  tiles: StoredTiles,
  { tree_size: size, root_hash }: TreeAt & { readonly root_hash: string },
  blocks: readonly WantedBlock[],
): Promise<readonly BlockProof[] | null> {
  const wanted = blocks.map(({ block }) => ({ tile: { level: 0, index: block }, width: blockWidth(block, size) }));
  const leaves = await tiles.tiles(wanted);
  const view = new TreeView(tiles);
  const treeRoot = Buffer.from(root_hash, 'hex');
  const proofs: BlockProof[] = [];
  for (const [i, { block, offsets, entry_hashes }] of blocks.entries()) {
    const bytes = leaves[i] ?? Buffer.alloc(0);
    if (!areLeaves(bytes, offsets, entry_hashes)) return null;
    const inclusion = await view.inclusionProof(block * BLOCK_LEAVES, size);
    const path = inclusion.slice(stepsInBlock(blockWidth(block, size)));
    const proof = provenBlock({ ...walkBlock(bytes, offsets), block, treeSize: size, treeRoot, path });
    if (proof === null) return null;
    proofs.push(proof);
  }
  return proofs;
}
