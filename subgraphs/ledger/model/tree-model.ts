import { Schema } from 'mongoose';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';

// Indexes are declared here; reads and writes go through the driver's collections (tree-repository.ts).

export const TREE_COLLECTION = 'ledger_tree';
export const TILE_COLLECTION = 'ledger_tiles';
export const TREE_LEASE_COLLECTION = 'ledger_tree_leases';
export const CHECKPOINT_COLLECTION = 'ledger_checkpoints';
export const INCARNATION_COLLECTION = 'ledger_incarnations';

const options = (collection: string) => ({ collection, versionKey: false, autoIndex: false }) as const;
const text = { type: String, required: true } as const;
const whole = { type: Number, required: true } as const;

/** Leaves (evidence.md section 2 "Tree"): inserted by the lease-holder, never updated. */
export const treeSchema = new Schema(
  {
    _id: { tenant_id: String, tree_index: Number },
    tenant_id: text,
    source_system: text,
    seq: whole,
    entry_hash: Buffer,
  },
  options(TREE_COLLECTION),
);
// An entry has one place. It also answers where an entry stands, and up to where a chain has places.
treeSchema.index({ tenant_id: 1, source_system: 1, seq: 1 }, { unique: true });

/** Full tiles; they follow from the leaves, so that losing one costs making it again. */
export const tileSchema = new Schema(
  {
    _id: { tenant_id: String, incarnation: Number, level: Number, index: Number },
    hashes: Buffer,
    root: Buffer,
  },
  options(TILE_COLLECTION),
);

export const treeLeaseSchema = new Schema(
  {
    _id: String,
    owner: String,
    until: Date,
    fence: Number,
    incarnation: Number,
    tiles_done: Number,
    edges: { incarnation: Number, tiles: [{ _id: false, level: Number, index: Number, hashes: Buffer }] },
  },
  options(TREE_LEASE_COLLECTION),
);

export const checkpointSchema = new Schema(
  {
    _id: String,
    tenant_id: text,
    number: whole,
    incarnation: whole,
    origin: text,
    tree_size: whole,
    root_hash: text,
    key_id: text,
    note: text,
    witnesses: [String],
    worm_sha256: text,
    published_at: { type: Date, required: true },
    pending: [Schema.Types.Mixed],
  },
  options(CHECKPOINT_COLLECTION),
);
// The fence of publishing: of two that publish at once, one finds its number taken.
checkpointSchema.index({ tenant_id: 1, number: 1 }, { unique: true });
checkpointSchema.index({ tenant_id: 1, published_at: -1, _id: -1 });
checkpointSchema.index({ tenant_id: 1, incarnation: 1, tree_size: 1 });
checkpointSchema.index({ tenant_id: 1, worm_sha256: 1 });
checkpointSchema.index(...PENDING_INDEX);

export const incarnationSchema = new Schema(
  {
    _id: String,
    tenant_id: text,
    incarnation: whole,
    reason: text,
    declared_by: text,
    declared_at: { type: Date, required: true },
    previous: { checkpoint_id: String, incarnation: Number, tree_size: Number, root_hash: String },
    declaration_id: text,
    tree_size: whole,
    pending: [Schema.Types.Mixed],
  },
  options(INCARNATION_COLLECTION),
);
incarnationSchema.index({ tenant_id: 1, incarnation: 1 }, { unique: true });
incarnationSchema.index(...PENDING_INDEX);
