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
  const tree = deps.trees(tenant.tenantId);
  const [row, checkpoint] = await Promise.all([tenant.ledger.keysOf(eventId), tree.latestCheckpoint()]);
  if (!row) return null;
  const { source_system, seq } = row._id;
  const tree_index = (await tree.treeIndexOf(source_system, [seq])).get(seq);
  if (!checkpoint || tree_index === undefined || tree_index >= checkpoint.tree_size) throw notYetCovered();
  const { tree_size: size, root_hash } = checkpoint;
  const leaf = leafHash(Buffer.from(row.entry_hash, 'hex'));
  const root = Buffer.from(root_hash, 'hex');
  const hashes = await checked(deps, tree, tenant.tenantId, checkpoint.incarnation, async (view) => {
    const proof = await view.inclusionProof(tree_index, size);
    return verifyInclusion({ leaf, index: tree_index, size, root, proof }) ? proof : null;
  });
  return {
    event_id: eventId,
    source_system,
    sequence: seq,
    entry_hash: row.entry_hash,
    tree_index,
    hashes: hashes.map(hex),
    checkpoint,
    tlog_proof: formatTlogProof({ index: tree_index, hashes, checkpoint: checkpoint.note }),
  };
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
