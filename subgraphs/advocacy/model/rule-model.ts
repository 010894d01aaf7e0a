import { Schema } from 'mongoose';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';

export const RULE_COLLECTION = 'rules';

/** Indexes are declared here; rows are read and written by the driver (rule-repository.ts). */
export const ruleSchema = new Schema(
  { _id: { type: String, required: true }, tenant_id: { type: String, required: true } },
  { collection: RULE_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
ruleSchema.index({ tenant_id: 1, key: 1 }, { unique: true });
ruleSchema.index({ tenant_id: 1, index_codes: 1 });
ruleSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
ruleSchema.index({ tenant_id: 1, kind: 1, created_at: -1, _id: -1 });
ruleSchema.index({ tenant_id: 1, 'revisions.artifact_sha256': 1 });
ruleSchema.index(...PENDING_INDEX);
