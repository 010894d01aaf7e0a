import { type Connection, type Model, Schema } from 'mongoose';
import type { WorkRow } from '../../../shared/jobs/work-queue.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { StoredDocument } from '../service/ports/document-store.js';
import type { VaultEffect } from '../service/ports/vault-effects.js';

export const DOCUMENT_COLLECTION = 'documents';

/** `_id` is the document_id. A document that waits for its scan is a row of that work as well. */
export interface DocumentRow extends Omit<StoredDocument, 'document_id' | 'tenant_id'>, WorkRow {
  readonly tenant_id: StoredDocument['tenant_id'];
  readonly pending: readonly VaultEffect[];
}

export const documentSchema = new Schema<DocumentRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    sha256: { type: String, required: true },
    size: { type: Number, required: true },
    media_type: { type: String, required: true },
    filename: { type: String, required: true },
    title: { type: String, default: null },
    document_type: { type: String, default: null },
    source_system: { type: String, default: null },
    member_ids: { type: [String], required: true } as never,
    event_ids: { type: [String], required: true } as never,
    matter_id: { type: String, default: null },
    tags: { type: [String], required: true } as never,
    effective_at: { type: Date, default: null },
    status: { type: String, required: true },
    scan: { type: Schema.Types.Mixed, required: true } as never,
    review: { type: Schema.Types.Mixed, default: null } as never,
    rendition: { type: Schema.Types.Mixed, default: null } as never,
    revision: { type: Number, required: true },
    created_at: { type: Date, required: true },
    created_by: { type: String, required: true },
    updated_at: { type: Date, required: true },
    history: { type: [Schema.Types.Mixed], required: true } as never,
    pending: { type: [Schema.Types.Mixed], default: [] } as never,
    next_attempt_at: { type: Date },
    lease_until: { type: Date },
    lease_token: { type: String },
    lease_owner: { type: String },
    claims: { type: Number },
    poisoned_at: { type: Date },
  },
  { collection: DOCUMENT_COLLECTION, versionKey: false, strict: 'throw', strictQuery: 'throw' },
);
documentSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
documentSchema.index({ tenant_id: 1, status: 1, created_at: -1, _id: -1 });
documentSchema.index({ tenant_id: 1, member_ids: 1, created_at: -1, _id: -1 });
documentSchema.index({ tenant_id: 1, member_ids: 1, effective_at: -1, _id: -1 });
documentSchema.index({ tenant_id: 1, event_ids: 1, created_at: -1, _id: -1 });
documentSchema.index({ tenant_id: 1, matter_id: 1, created_at: -1, _id: -1 });
documentSchema.index({ tenant_id: 1, document_type: 1, created_at: -1, _id: -1 });
documentSchema.index({ tenant_id: 1, sha256: 1 });
documentSchema.index({ tenant_id: 1, 'rendition.sha256': 1 });
documentSchema.index(...PENDING_INDEX);

export type DocumentModel = Model<DocumentRow>;

export const documentModel = (connection: Connection): DocumentModel =>
  (connection.models['Document'] as DocumentModel | undefined) ??
  connection.model<DocumentRow>('Document', documentSchema);
