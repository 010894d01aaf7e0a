import { Schema } from 'mongoose';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';

export const MEMBER_COLLECTION = 'members';

/** Indexes are declared here; rows are read and written by the driver (member-repository.ts). */
export const memberSchema = new Schema(
  { _id: { type: String, required: true }, tenant_id: { type: String, required: true } },
  { collection: MEMBER_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
memberSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
memberSchema.index({ tenant_id: 1, status: 1, created_at: -1, _id: -1 });
// Every key that a member is found by (domain/matching): one index answers for all of them.
memberSchema.index({ tenant_id: 1, keys: 1 });
memberSchema.index({ tenant_id: 1, created_by: 1 });
memberSchema.index(...PENDING_INDEX);
