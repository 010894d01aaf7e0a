import { type Connection, type Model, Schema } from 'mongoose';
import { OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import type { ApiKeyStatus } from '../domain/api-key-status.js';
import type { Reach } from '../domain/key-grant.js';
import type { ApiKeyRecord, ApiKeys, ApiKeysInReach, StoredApiKey } from '../service/ports.js';

/** `_id` is the key_id. Absent, not null, are the two values that partial unique indexes stand on. */
interface ApiKeyDocument extends Omit<ApiKeyRecord, 'key_id'> {
  readonly _id: string;
  readonly key_hmac: string;
  readonly lookup_id?: string;
  readonly bootstrap_round?: number;
}

const API_KEY_SCHEMA = new Schema<ApiKeyDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    name: { type: String, required: true },
    scopes: { type: [String], required: true },
    prefix: { type: String, default: null },
    last_four: { type: String, required: true },
    created_at: { type: Date, required: true },
    created_by: { type: String, default: null },
    expires_at: { type: Date, default: null },
    last_used_at: { type: Date, default: null },
    revoked_at: { type: Date, default: null },
    revoked_by: { type: String, default: null },
    key_hmac: { type: String, required: true },
    lookup_id: { type: String },
    bootstrap_round: { type: Number },
  },
  { collection: 'api_keys', versionKey: false, strict: 'throw', strictQuery: 'throw' },
);
API_KEY_SCHEMA.index({ key_hmac: 1 }, { unique: true });
API_KEY_SCHEMA.index({ lookup_id: 1 }, { unique: true, partialFilterExpression: { lookup_id: { $exists: true } } });
API_KEY_SCHEMA.index(
  { bootstrap_round: 1 },
  { unique: true, partialFilterExpression: { bootstrap_round: { $exists: true } } },
);
API_KEY_SCHEMA.index({ tenant_id: 1, created_at: -1, _id: -1 });
API_KEY_SCHEMA.index({ created_at: -1, _id: -1 });

type ApiKeyModel = Model<ApiKeyDocument>;

export const apiKeyModel = (connection: Connection): ApiKeyModel =>
  (connection.models['ApiKey'] as ApiKeyModel | undefined) ??
  connection.model<ApiKeyDocument>('ApiKey', API_KEY_SCHEMA);

const storedOf = ({ _id, lookup_id, bootstrap_round, ...rest }: ApiKeyDocument): StoredApiKey => ({
  ...rest,
  key_id: _id,
  lookup_id: lookup_id ?? null,
  bootstrap_round: bootstrap_round ?? null,
});

function documentOf({ key_id, lookup_id, bootstrap_round, ...rest }: StoredApiKey): ApiKeyDocument {
  return {
    _id: key_id,
    ...rest,
    ...(lookup_id === null ? {} : { lookup_id }),
    ...(bootstrap_round === null ? {} : { bootstrap_round }),
  };
}

export function apiKeyRepository(model: ApiKeyModel): ApiKeys {
  const one = async (filter: { readonly lookup_id: string } | { readonly key_hmac: string }) => {
    const found = await model.findOne(filter).lean<ApiKeyDocument>().exec();
    return found === null ? undefined : storedOf(found);
  };
  return {
    async insert(key) {
      try {
        await model.create(documentOf(key));
        return true;
      } catch (error) {
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    within: (reach) => keysInReach(model, reach),
    byLookupId: (lookupId) => one({ lookup_id: lookupId }),
    byHmac: (keyHmac) => one({ key_hmac: keyHmac }),
    async hasLiveOperatorKeyBeside(keyId, nowMs) {
      const others = keyId === null ? [] : [{ _id: { $ne: keyId } }];
      const found = await model
        .findOne({
          $and: [{ tenant_id: ANY_TENANT, scopes: OPERATOR_SCOPE }, statusFilter('ACTIVE', nowMs), ...others],
        })
        .lean<ApiKeyDocument>()
        .exec();
      return found !== null;
    },
    async lastBootstrapRound() {
      const last = await model
        .findOne({ bootstrap_round: { $exists: true } })
        .sort({ bootstrap_round: -1 })
        .lean<ApiKeyDocument>()
        .exec();
      return last?.bootstrap_round ?? 0;
    },
    async markUsed(uses) {
      const updates = [...uses].map(([keyId, at]) => ({
        updateOne: { filter: { _id: keyId }, update: { $max: { last_used_at: at } } },
      }));
      await model.bulkWrite(updates, { ordered: false });
    },
  };
}

function keysInReach(model: ApiKeyModel, reach: Reach): ApiKeysInReach {
  const seen = reach === ANY_TENANT ? {} : { tenant_id: reach };
  return {
    async get(keyId) {
      const found = await model
        .findOne({ $and: [seen, { _id: keyId }] })
        .lean<ApiKeyDocument>()
        .exec();
      return found === null ? null : storedOf(found);
    },
    async list(query) {
      const page = keysetQuery('created_at', query);
      const filters = [
        ...(query.name === undefined ? [] : [{ name: query.name }]),
        ...(query.status === undefined ? [] : [statusFilter(query.status, query.nowMs)]),
      ];
      const rows = await model
        .find({ $and: [seen, ...filters, page.filter] })
        .sort(page.sort)
        .limit(page.fetch)
        .lean<ApiKeyDocument[]>()
        .exec();
      return rows.map(storedOf);
    },
    async revoke(keyId, at, revokedBy) {
      const changed = await model
        .findOneAndUpdate(
          { $and: [seen, { _id: keyId, revoked_at: null }] },
          { $set: { revoked_at: at, revoked_by: revokedBy } },
          { returnDocument: 'after' },
        )
        .lean<ApiKeyDocument>()
        .exec();
      return changed === null ? this.get(keyId) : storedOf(changed);
    },
  };
}

/** The query that agrees with apiKeyStatusAt (domain/api-key-status.ts). */
function statusFilter(status: ApiKeyStatus, nowMs: number): Readonly<Record<string, unknown>> {
  const now = new Date(nowMs);
  switch (status) {
    case 'REVOKED':
      return { revoked_at: { $ne: null } };
    case 'EXPIRED':
      return { revoked_at: null, expires_at: { $ne: null, $lte: now } };
    case 'ACTIVE':
      return { revoked_at: null, $or: [{ expires_at: null }, { expires_at: { $gt: now } }] };
  }
}
