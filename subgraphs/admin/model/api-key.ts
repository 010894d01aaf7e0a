import { type Connection, type Model, Schema } from 'mongoose';
import { OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';

import type { ApiKeyStatus } from '../domain/api-key-status.js';
import type { Reach } from '../domain/key-grant.js';
import type { AdminEffect, SuccessorKeyEffect } from '../service/ports/admin-effects.js';
import type { ApiKeyRecord, ApiKeys, ApiKeysInReach, StoredApiKey } from '../service/ports.js';

/** `_id` is the key_id. Absent, not null, are the two values that partial unique indexes stand on. */
interface ApiKeyDocument extends Omit<ApiKeyRecord, 'key_id'> {
  readonly _id: string;
  readonly key_hmac: string;
  readonly lookup_id?: string;
  readonly bootstrap_round?: number;
  readonly pending: readonly AdminEffect[];
}

export const API_KEY_COLLECTION = 'api_keys';

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
    role_ids: { type: [String], default: [] },
    actor_id: { type: String, default: null },
    allowed_cidrs: { type: [String], default: [] },
    grace_ends_at: { type: Date, default: null },
    rotated_to: { type: String, default: null },
    rotated_from: { type: String, default: null },
    last_used_at: { type: Date, default: null },
    last_used_address: { type: String, default: null },
    revoked_at: { type: Date, default: null },
    revoked_by: { type: String, default: null },
    key_hmac: { type: String, required: true },
    lookup_id: { type: String },
    bootstrap_round: { type: Number },
    pending: { type: [Schema.Types.Mixed], default: [] } as never,
  },
  { collection: API_KEY_COLLECTION, versionKey: false, strict: 'throw', strictQuery: 'throw' },
);
API_KEY_SCHEMA.index({ key_hmac: 1 }, { unique: true });
API_KEY_SCHEMA.index({ lookup_id: 1 }, { unique: true, partialFilterExpression: { lookup_id: { $exists: true } } });
API_KEY_SCHEMA.index(
  { bootstrap_round: 1 },
  { unique: true, partialFilterExpression: { bootstrap_round: { $exists: true } } },
);
API_KEY_SCHEMA.index({ tenant_id: 1, created_at: -1, _id: -1 });
API_KEY_SCHEMA.index({ created_at: -1, _id: -1 });
API_KEY_SCHEMA.index({ tenant_id: 1, role_ids: 1 });
API_KEY_SCHEMA.index(...PENDING_INDEX);

type ApiKeyModel = Model<ApiKeyDocument>;

export const apiKeyModel = (connection: Connection): ApiKeyModel =>
  (connection.models['ApiKey'] as ApiKeyModel | undefined) ??
  connection.model<ApiKeyDocument>('ApiKey', API_KEY_SCHEMA);

const storedOf = ({ _id, lookup_id, bootstrap_round, pending: _, ...rest }: ApiKeyDocument): StoredApiKey => ({
  ...NEWER_MEMBERS,
  ...rest,
  key_id: _id,
  lookup_id: lookup_id ?? null,
  bootstrap_round: bootstrap_round ?? null,
});

/** Keys of before these members were kept have none of it. */
const NEWER_MEMBERS = {
  role_ids: [],
  actor_id: null,
  allowed_cidrs: [],
  grace_ends_at: null,
  rotated_to: null,
  rotated_from: null,
  last_used_address: null,
} as const;

function documentOf(
  { key_id, lookup_id, bootstrap_round, ...rest }: StoredApiKey,
  pending: readonly AdminEffect[],
): ApiKeyDocument {
  return {
    _id: key_id,
    ...rest,
    ...(lookup_id === null ? {} : { lookup_id }),
    ...(bootstrap_round === null ? {} : { bootstrap_round }),
    pending,
  };
}

export function apiKeyRepository(model: ApiKeyModel): ApiKeys {
  const one = async (filter: { readonly lookup_id: string } | { readonly key_hmac: string }) => {
    const found = await model.findOne(filter).lean<ApiKeyDocument>().exec();
    return found === null ? undefined : storedOf(found);
  };
  return {
    async insert(key, pending) {
      try {
        await model.create(documentOf(key, pending));
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
          $and: [OPERATOR_KEYS, liveFilter(nowMs), ...others],
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
    async isRoleHeld(tenantId, roleId, nowMs) {
      const holders = [{ tenant_id: tenantId, role_ids: roleId }, liveFilter(nowMs)];
      const found = await model.findOne({ $and: holders }).lean<ApiKeyDocument>().exec();
      return found !== null;
    },
    async markUsed(uses) {
      const updates = [...uses].map(([keyId, { at, address }]) => ({
        updateOne: {
          filter: { _id: keyId, $or: [{ last_used_at: null }, { last_used_at: { $lt: at } }] },
          update: { $set: { last_used_at: at, last_used_address: address } },
        },
      }));
      await model.bulkWrite(updates, { ordered: false });
    },
  };
}

function keysInReach(model: ApiKeyModel, reach: Reach): ApiKeysInReach {
  const seen = reach === ANY_TENANT ? {} : { tenant_id: reach };
  const change = async (filter: Record<string, unknown>, update: Record<string, unknown>) => {
    const changed = await model
      .findOneAndUpdate({ $and: [seen, filter] }, update, { returnDocument: 'after' })
      .lean<ApiKeyDocument>()
      .exec();
    return changed === null ? null : storedOf(changed);
  };
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
    revoke: (keyId, { at, by, pending }) =>
      change(
        { _id: keyId, revoked_at: null },
        { $set: { revoked_at: at, revoked_by: by }, $push: { pending: { $each: pending } } },
      ),
    async rotate(keyId, { at, graceEndsAt, by, successor, pending }) {
      const end = graceEndsAt === null ? { revoked_at: at, revoked_by: by } : { grace_ends_at: graceEndsAt };
      const birth: SuccessorKeyEffect = {
        id: successor.key_id,
        kind: 'successor-key',
        document: documentOf(successor, []) as unknown as SuccessorKeyEffect['document'],
      };
      const effects = [birth, ...pending];
      const key = await change(
        { $and: [{ _id: keyId }, statusFilter('ACTIVE', at.getTime())] },
        { $set: { ...end, rotated_to: successor.key_id }, $push: { pending: { $each: effects } } },
      );
      return key === null ? null : { key, pending: effects };
    },
  };
}

/** Brings a successor into being; it is there already when this is done again. */
export const successorKeyPerformer = (model: ApiKeyModel) => async (effect: SuccessorKeyEffect) => {
  try {
    await model.create(effect.document as unknown as ApiKeyDocument);
  } catch (error) {
    if (!duplicateKeyOf(error)?.fields.includes('_id')) throw error;
  }
};

/** What counts as an operator's way in: a key that stands by itself, bound to no actor whom somebody may suspend. */
const OPERATOR_KEYS = { tenant_id: ANY_TENANT, scopes: OPERATOR_SCOPE, actor_id: null } as const;

const unended = (field: 'expires_at' | 'grace_ends_at', now: Date) => ({
  $or: [{ [field]: null }, { [field]: { $gt: now } }],
});

/** ACTIVE or ROTATING. */
function liveFilter(nowMs: number): Readonly<Record<string, unknown>> {
  const now = new Date(nowMs);
  return { $and: [{ revoked_at: null }, unended('expires_at', now), unended('grace_ends_at', now)] };
}

/** The query that agrees with apiKeyStatusAt (domain/api-key-status.ts). */
function statusFilter(status: ApiKeyStatus, nowMs: number): Readonly<Record<string, unknown>> {
  const now = new Date(nowMs);
  switch (status) {
    case 'REVOKED':
      return { $or: [{ revoked_at: { $ne: null } }, { grace_ends_at: { $ne: null, $lte: now } }] };
    case 'ROTATING':
      return { revoked_at: null, grace_ends_at: { $gt: now } };
    case 'EXPIRED':
      return { revoked_at: null, grace_ends_at: null, expires_at: { $ne: null, $lte: now } };
    case 'ACTIVE':
      return { $and: [{ revoked_at: null, grace_ends_at: null }, unended('expires_at', now)] };
  }
}
