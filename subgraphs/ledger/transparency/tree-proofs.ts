import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { leafHash } from '../../../shared/merkle/hashes.js';
import { TreeView } from '../../../shared/merkle/tree-view.js';
import { verifyConsistency, verifyInclusion } from '../../../shared/merkle/verify-proofs.js';
import { formatTlogProof } from '../../../shared/notes/checkpoint.js';
import type { TenantContext } from '../append/index.js';
import type { CheckpointRow, TenantTree, TreeStore } from './ports/tree-store.js';
import { CHECKPOINT_INTERVAL_MS } from './tree-keeper.js';
import { StoredTiles, type TileCache, TreeFault } from './tree-tiles.js';

export interface ProofDeps {
  readonly trees: TreeStore;
  readonly cache: TileCache;
}

/** Proof that an event is in the tree of the latest checkpoint. */
export interface EventProof {
  readonly event_id: string;
  readonly source_system: string;
  readonly sequence: number;
  readonly entry_hash: string;
  readonly tree_index: number;
  /** From the leaf's sibling up, lower-case hex. */
  readonly hashes: readonly string[];
  readonly checkpoint: CheckpointRow;
  readonly tlog_proof: string;
}

/** Proof that the tree of one size begins with the tree of another. */
interface ConsistencyProof {
  readonly first: number;
  readonly second: number;
  readonly first_root_hash: string;
  readonly second_root_hash: string;
  readonly hashes: readonly string[];
  /** Checkpoints of these sizes, if published. */
  readonly first_checkpoint: CheckpointRow | null;
  readonly second_checkpoint: CheckpointRow | null;
}

/**
 * Returns the verified proof of an event in the latest checkpoint; null for an event that is not this tenant's.
 *
 * @throws CONFLICT while no checkpoint covers it; INTEGRITY_FAILURE
 */
export async function proveEvent(deps: ProofDeps, tenant: TenantContext, eventId: string): Promise<EventProof | null> {
  if (!isIdOf('event', eventId)) return null;
  const row = await tenant.ledger.keysOf(eventId);
  if (!row) return null;
  const { source_system, seq } = row._id;
  const entry = { event_id: eventId, source_system, sequence: seq, entry_hash: row.entry_hash };
  const [proof = null] = await proveEntries(deps, tenant, [entry]);
  if (proof === null) throw notYetCovered();
  return proof;
}

/** An entry of the tenant as a read has verified it. */
export type ProvableEntry = Pick<EventProof, 'event_id' | 'source_system' | 'sequence' | 'entry_hash'>;

/**
 * Returns the verified proofs of entries in the latest checkpoint, in their order; null while no checkpoint covers an
 * entry. Reads the checkpoint once, and the places of each chain once.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function proveEntries(
  deps: ProofDeps,
  tenant: TenantContext,
  entries: readonly ProvableEntry[],
): Promise<readonly (EventProof | null)[]> {
  const tree = deps.trees(tenant.tenantId);
  const [places, checkpoint] = await Promise.all([placesOf(tree, entries), tree.latestCheckpoint()]);
  if (!checkpoint) return entries.map(() => null);
  const { tree_size: size, root_hash } = checkpoint;
  const root = Buffer.from(root_hash, 'hex');
  const proofs: (EventProof | null)[] = [];
  for (const entry of entries) {
    const index = places.get(entry.source_system)?.get(entry.sequence);
    if (index === undefined || index >= size) {
      proofs.push(null);
      continue;
    }
    const leaf = leafHash(Buffer.from(entry.entry_hash, 'hex'));
    const hashes = await checked(deps, tree, tenant.tenantId, checkpoint.incarnation, async (view) => {
      const proof = await view.inclusionProof(index, size);
      return verifyInclusion({ leaf, index, size, root, proof }) ? proof : null;
    });
    const tlog_proof = formatTlogProof({ index, hashes, checkpoint: checkpoint.note });
    proofs.push({ ...entry, tree_index: index, hashes: hashes.map(hex), checkpoint, tlog_proof });
  }
  return proofs;
}

/** The places in the tree by chain and sequence. */
async function placesOf(
  tree: Pick<TenantTree, 'treeIndexOf'>,
  entries: readonly ProvableEntry[],
): Promise<ReadonlyMap<string, ReadonlyMap<number, number>>> {
  const sequences = new Map<string, number[]>();
  for (const { source_system, sequence } of entries) {
    sequences.set(source_system, [...(sequences.get(source_system) ?? []), sequence]);
  }
  return new Map(
    await Promise.all(
      [...sequences].map(async ([source, seqs]) => [source, await tree.treeIndexOf(source, seqs)] as const),
    ),
  );
}

/**
 * @param second the size of the latest checkpoint by default.
 * @throws VALIDATION_ERROR for sizes beyond it, CONFLICT before the first checkpoint, INTEGRITY_FAILURE
 */
export async function proveConsistency(
  deps: ProofDeps,
  tenant: TenantContext,
  input: { readonly first: number; readonly second?: number },
): Promise<ConsistencyProof> {
  const tree = deps.trees(tenant.tenantId);
  const latest = await tree.latestCheckpoint();
  if (!latest) throw notYetCovered();
  const { first, second = latest.tree_size } = input;
  const faults = [
    ...(second > latest.tree_size ? [fault('/second', 'range', 'Must not be beyond the latest checkpoint.')] : []),
    ...(first > second ? [fault('/first', 'range', 'Must not be larger than the second size.')] : []),
  ];
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  const [firstRow, secondRow] = await Promise.all([
    tree.checkpointOfSize(latest.incarnation, first),
    tree.checkpointOfSize(latest.incarnation, second),
  ]);
  const published = { first: firstRow?.root_hash, second: secondRow?.root_hash };
  const { roots, proof } = await checked(deps, tree, tenant.tenantId, latest.incarnation, async (view) => {
    const [firstRoot, secondRoot] = [await view.rootAt(first), await view.rootAt(second)];
    const proof = await view.consistencyProof(first, second);
    const holds =
      verifyConsistency({ first, firstRoot, second, secondRoot, proof }) &&
      hex(firstRoot) === (published.first ?? hex(firstRoot)) &&
      hex(secondRoot) === (published.second ?? hex(secondRoot));
    return holds ? { roots: [hex(firstRoot), hex(secondRoot)] as const, proof } : null;
  });
  return {
    first,
    second,
    first_root_hash: roots[0],
    second_root_hash: roots[1],
    hashes: proof.map(hex),
    first_checkpoint: firstRow,
    second_checkpoint: secondRow,
  };
}

/** Returns the valid result of `make`; if it is invalid, tries once more from the store instead of the cache. */
async function checked<T>(
  deps: ProofDeps,
  tree: TenantTree,
  tenantId: string,
  incarnation: number,
  make: (view: TreeView) => Promise<T | null>,
): Promise<T> {
  const name = { tenantId, incarnation };
  for (const cache of [deps.cache, null]) {
    try {
      const made = await make(new TreeView(new StoredTiles(tree, name, cache, cache !== null)));
      if (made !== null) return made;
    } catch (error) {
      if (!(error instanceof TreeFault)) throw error;
    }
    deps.cache.forget(tenantId);
  }
  throw problem('INTEGRITY_FAILURE', { internal: 'the stored tree does not lead to the published root' });
}

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');

/** A checkpoint follows within the interval unless publishing is blocked. */
const notYetCovered = () =>
  problem('CONFLICT', {
    message: 'No checkpoint covers this yet; one follows within seconds.',
    retryAfterSeconds: CHECKPOINT_INTERVAL_MS / 1_000,
  });
