import { Schema } from 'mongoose';
import type { HeldKind } from '../../../shared/contracts/holds.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { StoredHold } from '../service/ports/hold-store.js';
import type { VaultEffect } from '../service/ports/vault-effects.js';

// Indexes are declared here; reads and writes go through the driver's collections (hold-repository.ts).

export const HOLD_COLLECTION = 'legal_holds';
export const TOMBSTONE_COLLECTION = 'hold_tombstones';
export const GATE_COLLECTION = 'deletion_gates';

/** `_id` is the hold_id. */
export interface HoldRow extends Omit<StoredHold, 'hold_id'> {
  readonly _id: string;
  readonly pending: readonly VaultEffect[];
}

/** One thing under one hold; `_id` is made of both, so that nothing is listed twice. */
export interface TombstoneRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly hold_id: string;
  readonly kind: HeldKind;
  readonly id: string;
  readonly held_at: Date;
  readonly refused: number;
  readonly refused_at: Date | null;
}

/** `_id` is the tenant. */
export interface GateRow {
  readonly _id: string;
  readonly epoch: number;
  /** Absent in rows of before it was counted: 0. */
  readonly passes?: number;
  readonly permits: readonly string[];
}

const mixed = { type: Schema.Types.Mixed, default: null } as const;

export const holdSchema = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    name: { type: String, required: true },
    matter_id: { type: String, default: null },
    scope: mixed,
    reason: { type: String, required: true },
    authority: { type: String, default: null },
    status: { type: String, required: true },
    release: mixed,
    settled: { type: Boolean, required: true },
    listing: mixed,
    revision: { type: Number, required: true },
    created_at: { type: Date, required: true },
    created_by: { type: String, required: true },
    updated_at: { type: Date, required: true },
    history: [Schema.Types.Mixed],
    pending: [Schema.Types.Mixed],
  },
  { collection: HOLD_COLLECTION, versionKey: false, autoIndex: false },
);
holdSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
holdSchema.index({ tenant_id: 1, status: 1, created_at: -1, _id: -1 });
holdSchema.index({ tenant_id: 1, matter_id: 1, created_at: -1, _id: -1 });
holdSchema.index({ tenant_id: 1, 'scope.member_ids': 1, created_at: -1, _id: -1 });
holdSchema.index(...PENDING_INDEX);

export const tombstoneSchema = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    hold_id: { type: String, required: true },
    kind: { type: String, required: true },
    id: { type: String, required: true },
    held_at: { type: Date, required: true },
    refused: { type: Number, required: true },
    refused_at: { type: Date, default: null },
  },
  { collection: TOMBSTONE_COLLECTION, versionKey: false, autoIndex: false },
);
tombstoneSchema.index({ tenant_id: 1, hold_id: 1, held_at: -1, _id: -1 });
tombstoneSchema.index({ tenant_id: 1, hold_id: 1, kind: 1, held_at: -1, _id: -1 });

export const gateSchema = new Schema(
  { _id: String, epoch: Number, passes: Number, permits: [String] },
  { collection: GATE_COLLECTION, versionKey: false, autoIndex: false },
);
gateSchema.index({ 'permits.0': 1 }, { partialFilterExpression: { 'permits.0': { $exists: true } } });
