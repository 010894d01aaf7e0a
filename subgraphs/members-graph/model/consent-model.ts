import { Schema } from 'mongoose';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';

export const CONSENT_COLLECTION = 'consents';
export const CONSENT_POLICY_COLLECTION = 'consent_policies';

const ROW = { _id: { type: String, required: true }, tenant_id: { type: String, required: true } } as const;

/** Indexes are declared here; rows are read and written by the driver (consent-repository.ts). */
export const consentSchema = new Schema(ROW, {
  collection: CONSENT_COLLECTION,
  versionKey: false,
  autoIndex: false,
  strict: false,
});
consentSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
consentSchema.index({ tenant_id: 1, member_id: 1, status: 1, created_at: -1, _id: -1 });
consentSchema.index(...PENDING_INDEX);

/** `_id` is the tenant. */
export const consentPolicySchema = new Schema(ROW, {
  collection: CONSENT_POLICY_COLLECTION,
  versionKey: false,
  autoIndex: false,
  strict: false,
});
consentPolicySchema.index(...PENDING_INDEX);
