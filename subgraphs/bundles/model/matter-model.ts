import { Schema } from 'mongoose';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';

export const MATTER_COLLECTION = 'legal_matters';

/** Indexes are declared here; rows are read and written by the driver (matter-repository.ts). */
export const matterSchema = new Schema(
  { _id: { type: String, required: true }, tenant_id: { type: String, required: true } },
  { collection: MATTER_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
matterSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
matterSchema.index({ tenant_id: 1, status: 1, created_at: -1, _id: -1 });
matterSchema.index({ tenant_id: 1, member_ids: 1, created_at: -1, _id: -1 });
matterSchema.index(...PENDING_INDEX);
