import { PENDING_INDEX } from '../../../../shared/outbox/outbox.js';
import { declareCollection } from '../../../../shared/records/collections.js';

export const TREE_COLLECTION = 'ledger_tree';
/** Full tiles; they follow from the leaves and can be rebuilt. */
export const TILE_COLLECTION = 'ledger_tiles';
export const TREE_LEASE_COLLECTION = 'ledger_tree_leases';
export const CHECKPOINT_COLLECTION = 'ledger_checkpoints';
export const INCARNATION_COLLECTION = 'ledger_incarnations';

export const TREE_COLLECTIONS = [
  // Leaves (evidence.md section 2 "Tree"): the lease holder inserts them; they are never updated. The index makes an
  // entry's place unique, finds it, and finds the last assigned entry of a chain.
  declareCollection(TREE_COLLECTION, [{ tenant_id: 1, source_system: 1, seq: 1 }, { unique: true }]),
  declareCollection(
    CHECKPOINT_COLLECTION,
    // The fence of publishing: of two concurrent publishers, one finds its number taken.
    [{ tenant_id: 1, number: 1 }, { unique: true }],
    [{ tenant_id: 1, published_at: -1, _id: -1 }],
    [{ tenant_id: 1, incarnation: 1, tree_size: 1 }],
    [{ tenant_id: 1, worm_sha256: 1 }],
    PENDING_INDEX,
  ),
  declareCollection(INCARNATION_COLLECTION, [{ tenant_id: 1, incarnation: 1 }, { unique: true }], PENDING_INDEX),
];
