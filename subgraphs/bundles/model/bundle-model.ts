import { Schema } from 'mongoose';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';

// Indexes are declared here; rows are read and written by the driver (bundle-repository.ts), as the queue adds its own.

export const BUNDLE_COLLECTION = 'bundles';
export const BUNDLE_INPUT_COLLECTION = 'bundle_inputs';

export const bundleSchema = new Schema(
  { _id: { type: String, required: true }, tenant_id: { type: String, required: true } },
  { collection: BUNDLE_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
bundleSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
bundleSchema.index({ tenant_id: 1, status: 1, created_at: -1, _id: -1 });
for (const name of ['member_id', 'matter_id', 'incident_id'] as const) {
  bundleSchema.index(
    { tenant_id: 1, [`scope.${name}`]: 1, created_at: -1, _id: -1 },
    { partialFilterExpression: { [`scope.${name}`]: { $exists: true } } },
  );
}
bundleSchema.index(
  { tenant_id: 1, 'seal.worm_blob_sha256': 1 },
  { partialFilterExpression: { 'seal.worm_blob_sha256': { $exists: true } } },
);
bundleSchema.index(...PENDING_INDEX);

/** What a build has read of other parts, page by page, until it is sealed; see bundle-inputs.ts. */
export const bundleInputSchema = new Schema(
  { _id: { tenant_id: String, bundle_id: String, round: Number, kind: String, n: Number } },
  { collection: BUNDLE_INPUT_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
