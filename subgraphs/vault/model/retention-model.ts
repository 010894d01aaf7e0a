import { Schema } from 'mongoose';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { StoredDisposal, StoredRules, StoredSweep } from '../service/ports/retention-store.js';
import type { VaultEffect } from '../service/ports/vault-effects.js';

// Indexes are declared here; reads and writes go through the driver's collections (retention-repository.ts).

export const RULES_COLLECTION = 'retention_policies';
export const DISPOSAL_COLLECTION = 'disposals';
export const SWEEP_COLLECTION = 'retention_sweeps';

interface Carrier {
  readonly _id: string;
  readonly pending: readonly VaultEffect[];
}

/** `_id` is the tenant. */
export type RulesRow = StoredRules & Carrier;
/** `_id` is the disposal_id. */
export type DisposalRow = Omit<StoredDisposal, 'disposal_id'> & Carrier;
/** `_id` is the sweep_id. */
export type SweepRow = Omit<StoredSweep, 'sweep_id'> & Carrier;

const mixed = [Schema.Types.Mixed];
const options = { versionKey: false, autoIndex: false } as const;

export const rulesSchema = new Schema(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    default_years: Number,
    policies: mixed,
    revision: Number,
    updated_at: Date,
    updated_by: String,
    work_ids: [String],
    pending: mixed,
  },
  { ...options, collection: RULES_COLLECTION },
);
rulesSchema.index(...PENDING_INDEX);

export const disposalSchema = new Schema(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    sweep_id: String,
    status: String,
    at: Date,
    policies: [String],
    events: mixed,
    documents: mixed,
    disposed_at: Date,
    gone_at: Date,
    pending: mixed,
  },
  { ...options, collection: DISPOSAL_COLLECTION },
);
disposalSchema.index({ tenant_id: 1, status: 1, _id: 1 });
disposalSchema.index({ tenant_id: 1, sweep_id: 1 });
disposalSchema.index(...PENDING_INDEX);

export const sweepSchema = new Schema(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    at: Date,
    by: String,
    dry_run: Boolean,
    complete: Boolean,
    events: Schema.Types.Mixed,
    documents: Schema.Types.Mixed,
    segments_dropped: [String],
    pending: mixed,
  },
  { ...options, collection: SWEEP_COLLECTION },
);
sweepSchema.index({ tenant_id: 1, at: -1 });
sweepSchema.index(...PENDING_INDEX);
