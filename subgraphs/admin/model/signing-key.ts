import { type Connection, type Model, Schema } from 'mongoose';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { AdminEffect } from '../service/ports/admin-effects.js';
import type { SigningKeyRecord, SigningKeyStore, TenantSigningKeys } from '../service/ports/signing-key-store.js';

export const SIGNING_KEY_COLLECTION = 'signing_keys';

/** `_id` is the key_id. Absent, not null, is an activation that has not been: its unique index is partial. */
interface SigningKeyDocument extends Omit<SigningKeyRecord, 'key_id' | 'activation'> {
  readonly _id: string;
  readonly activation?: number;
  readonly pending: readonly AdminEffect[];
}

const SIGNING_KEY_SCHEMA = new Schema<SigningKeyDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    purpose: { type: String, required: true },
    algorithm: { type: String, required: true },
    status: { type: String, required: true },
    x: { type: String, required: true },
    wrapped_seed: { type: String, required: true },
    activation: { type: Number },
    created_at: { type: Date, required: true },
    created_by: { type: String, required: true },
    activated_at: { type: Date, default: null },
    retired_at: { type: Date, default: null },
    retirement: { type: String, default: null },
    revoked_at: { type: Date, default: null },
    revocation_reason: { type: String, default: null },
    revocation_effective_at: { type: Date, default: null },
    pending: { type: [Schema.Types.Mixed], default: [] } as never,
  },
  { collection: SIGNING_KEY_COLLECTION, versionKey: false, strict: 'throw', strictQuery: 'throw' },
);
SIGNING_KEY_SCHEMA.index(
  { tenant_id: 1, purpose: 1, activation: 1 },
  { unique: true, partialFilterExpression: { activation: { $exists: true } } },
);
SIGNING_KEY_SCHEMA.index({ tenant_id: 1, created_at: -1, _id: -1 });
SIGNING_KEY_SCHEMA.index(...PENDING_INDEX);

type SigningKeyModel = Model<SigningKeyDocument>;

export const signingKeyModel = (connection: Connection): SigningKeyModel =>
  (connection.models['SigningKey'] as SigningKeyModel | undefined) ??
  connection.model<SigningKeyDocument>('SigningKey', SIGNING_KEY_SCHEMA);

const recordOf = ({ _id, activation, pending: _, ...rest }: SigningKeyDocument): SigningKeyRecord => ({
  key_id: _id,
  activation: activation ?? null,
  ...rest,
});

export function signingKeyStore(model: SigningKeyModel): SigningKeyStore {
  return {
    async insert({ key_id, activation, ...rest }, pending) {
      try {
        await model.create({ _id: key_id, ...rest, ...(activation === null ? {} : { activation }), pending });
        return true;
      } catch (error) {
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    forTenant: (tenantId) => keysOfTenant(model, tenantId),
    async byId(keyId) {
      const found = await model.findById(keyId).lean<SigningKeyDocument>().exec();
      return found && recordOf(found);
    },
  };
}

function keysOfTenant(model: SigningKeyModel, tenantId: TenantId): TenantSigningKeys {
  return {
    async get(keyId) {
      const found = await model.findOne({ tenant_id: tenantId, _id: keyId }).lean<SigningKeyDocument>().exec();
      return found && recordOf(found);
    },
    async list({ purpose, status, ...window }) {
      const page = keysetQuery('created_at', window);
      const filters = [...(purpose === undefined ? [] : [{ purpose }]), ...(status === undefined ? [] : [{ status }])];
      const rows = await model
        .find({ $and: [{ tenant_id: tenantId }, ...filters, page.filter] })
        .sort(page.sort)
        .limit(page.fetch)
        .lean<SigningKeyDocument[]>()
        .exec();
      return rows.map(recordOf);
    },
    async all(limit) {
      const rows = await model
        .find({ tenant_id: tenantId })
        .sort({ created_at: 1, _id: 1 })
        .limit(limit)
        .lean<SigningKeyDocument[]>()
        .exec();
      return rows.map(recordOf);
    },
    async lastActivated(purpose) {
      const found = await model
        .findOne({ tenant_id: tenantId, purpose, activation: { $exists: true } })
        .sort({ activation: -1 })
        .lean<SigningKeyDocument>()
        .exec();
      return found && recordOf(found);
    },
    async superseded(purpose, before) {
      const rows = await model
        .find({ tenant_id: tenantId, purpose, status: 'ACTIVE', activation: { $lt: before } })
        .lean<SigningKeyDocument[]>()
        .exec();
      return rows.map(recordOf);
    },
    async change(keyId, { from, set, pending }) {
      const update = { $set: set, $push: { pending: { $each: pending } } } as Record<string, unknown>;
      try {
        const changed = await model
          .findOneAndUpdate({ tenant_id: tenantId, _id: keyId, status: from }, update, { returnDocument: 'after' })
          .lean<SigningKeyDocument>()
          .exec();
        return changed && recordOf(changed);
      } catch (error) {
        if (duplicateKeyOf(error)) return 'TAKEN';
        throw error;
      }
    },
  };
}
