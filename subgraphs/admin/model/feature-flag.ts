import { type Connection, type Model, Schema } from 'mongoose';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type Outbox, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { TargetingRule } from '../domain/feature-flag.js';
import type {
  FlagChange,
  FlagQuery,
  FlagRecord,
  FlagStore,
  FlagWrite,
  TenantFlags,
} from '../service/ports/feature-flag-store.js';

export const FEATURE_FLAG_COLLECTION = 'feature_flags';

/** Changes kept beside the flag. */
const HISTORY_ENTRIES = 100;

/** Variants and rules are JSON text: names of any kind, order and all, and nothing for a query to read. */
interface FlagDocument extends Omit<FlagRecord, 'variants' | 'targeting'> {
  /** `tenant_id/key`; no tenant_id holds a slash. */
  readonly _id: string;
  readonly variants_json: string;
  readonly targeting_json: string;
  readonly pending: readonly PendingEffect[];
}

const FLAG_SCHEMA = new Schema<FlagDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    key: { type: String, required: true },
    type: { type: String, required: true },
    description: { type: String, default: null },
    variants_json: { type: String, required: true },
    default_variant: { type: String, required: true },
    targeting_json: { type: String, required: true },
    enabled: { type: Boolean, required: true },
    owner: { type: String, default: null },
    expires_at: { type: Date, default: null },
    status: { type: String, required: true },
    revision: { type: Number, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
    history: { type: [Schema.Types.Mixed], required: true } as never,
    pending: { type: [Schema.Types.Mixed], default: [] } as never,
  },
  { collection: FEATURE_FLAG_COLLECTION, versionKey: false, strict: 'throw', strictQuery: 'throw', minimize: false },
);
FLAG_SCHEMA.index({ tenant_id: 1, created_at: -1, _id: -1 });
FLAG_SCHEMA.index({ tenant_id: 1, status: 1, key: 1 });
FLAG_SCHEMA.index(...PENDING_INDEX);

type FlagModel = Model<FlagDocument>;

export const featureFlagModel = (connection: Connection): FlagModel =>
  (connection.models['FeatureFlag'] as FlagModel | undefined) ??
  connection.model<FlagDocument>('FeatureFlag', FLAG_SCHEMA);

const idOf = (tenantId: TenantId, key: string): string => `${tenantId}/${key}`;

const recordOf = ({ _id, variants_json, targeting_json, pending: _, ...rest }: FlagDocument): FlagRecord => ({
  ...rest,
  variants: JSON.parse(variants_json) as JsonObject,
  targeting: JSON.parse(targeting_json) as TargetingRule[],
});

function membersOf({ variants, targeting, ...rest }: FlagWrite['record']) {
  return { ...rest, variants_json: JSON.stringify(variants), targeting_json: JSON.stringify(targeting) };
}

/** Flags by tenant; every filter begins with the tenant. */
export function featureFlagStore(model: FlagModel, outbox: Outbox): FlagStore {
  return (tenantId) => new MongoTenantFlags(model, outbox, tenantId);
}

class MongoTenantFlags implements TenantFlags {
  readonly #model: FlagModel;
  readonly #outbox: Outbox;
  readonly #tenantId: TenantId;

  constructor(model: FlagModel, outbox: Outbox, tenantId: TenantId) {
    this.#model = model;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(key: string): Promise<FlagRecord | null> {
    const found = await this.#model.findOne(this.#one(key)).lean<FlagDocument>().exec();
    return found === null ? null : recordOf(found);
  }

  async list(query: FlagQuery): Promise<readonly FlagRecord[]> {
    const page = keysetQuery('created_at', query);
    const filters = (['type', 'enabled', 'owner'] as const).flatMap((name) =>
      query[name] === undefined ? [] : [{ [name]: query[name] }],
    );
    const rows = await this.#model
      .find({ $and: [this.#present(), ...filters, page.filter] })
      .sort(page.sort)
      .limit(page.fetch)
      .lean<FlagDocument[]>()
      .exec();
    return rows.map(recordOf);
  }

  async all(limit: number): Promise<readonly FlagRecord[]> {
    const rows = await this.#model.find(this.#present()).sort({ key: 1 }).limit(limit).lean<FlagDocument[]>().exec();
    return rows.map(recordOf);
  }

  count(): Promise<number> {
    return this.#model.countDocuments(this.#present()).exec();
  }

  async insert({ record, change, pending }: FlagWrite): Promise<FlagRecord | null> {
    const document = { ...membersOf(record), _id: idOf(this.#tenantId, record.key), history: [change], pending };
    try {
      await this.#model.create(document);
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
    return { ...record, history: [change] };
  }

  async replace({ record, change, pending }: FlagWrite, revision: number): Promise<FlagRecord | null> {
    const changed = await this.#model
      .findOneAndUpdate(
        { ...this.#one(record.key), revision },
        {
          $set: membersOf(record),
          $push: { history: { $each: [change as FlagChange], $slice: -HISTORY_ENTRIES }, pending: { $each: pending } },
        },
        { returnDocument: 'after' },
      )
      .lean<FlagDocument>()
      .exec();
    return changed === null ? null : recordOf(changed);
  }

  relay({ record, pending }: FlagWrite): Promise<void> {
    return this.#outbox.relay(FEATURE_FLAG_COLLECTION, idOf(this.#tenantId, record.key), pending);
  }

  #one(key: string): { readonly _id: string; readonly tenant_id: TenantId } {
    return { _id: idOf(this.#tenantId, key), tenant_id: this.#tenantId };
  }

  #present(): { readonly tenant_id: TenantId; readonly status: 'PRESENT' } {
    return { tenant_id: this.#tenantId, status: 'PRESENT' };
  }
}
