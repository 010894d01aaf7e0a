import { type Connection, type Model, Schema } from 'mongoose';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type EffectRelay, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { RedactionSubject } from '../domain/redaction.js';
import type {
  RedactionQuery,
  RedactionStore,
  RedactionWrite,
  StoredRedaction,
  TenantRedactions,
} from '../service/ports/redaction-store.js';
import type { VaultEffect } from '../service/ports/vault-effects.js';

export const REDACTION_COLLECTION = 'redactions';

/** `_id` is the redaction_id. */
export interface RedactionRow extends Omit<StoredRedaction, 'redaction_id'> {
  readonly _id: string;
  readonly pending: readonly VaultEffect[];
  /** Contents that were stored for it, or may have been; no step of the redaction changes them. */
  readonly stored?: readonly { readonly sha256: string; readonly noted_at: Date }[];
}

const mixed = { type: Schema.Types.Mixed, required: true } as never;

export const redactionSchema = new Schema<RedactionRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    subject: mixed,
    pointers: { type: [String], required: true } as never,
    terms: { type: [String], required: true } as never,
    pages: { type: [Schema.Types.Mixed], required: true } as never,
    reason: { type: String, required: true },
    basis: { type: String, required: true },
    status: { type: String, required: true },
    drafted_by: { type: String, required: true },
    applied_by: { type: String, default: null },
    applied_at: { type: Date, default: null },
    rendition_sha256: { type: String, default: null },
    rendition_size: { type: Number, default: null },
    original_sha256: { type: String, default: null },
    ordinal: { type: Number, required: false },
    revision: { type: Number, required: true },
    created_at: { type: Date, required: true },
    created_by: { type: String, required: true },
    updated_at: { type: Date, required: true },
    history: { type: [Schema.Types.Mixed], required: true } as never,
    pending: { type: [Schema.Types.Mixed], default: [] } as never,
    stored: { type: [Schema.Types.Mixed], default: undefined } as never,
  },
  { collection: REDACTION_COLLECTION, versionKey: false, strict: 'throw', strictQuery: 'throw' },
);
redactionSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
redactionSchema.index({ tenant_id: 1, status: 1, created_at: -1, _id: -1 });
redactionSchema.index({ tenant_id: 1, 'subject.id': 1, created_at: -1, _id: -1 });
redactionSchema.index({ tenant_id: 1, 'stored.sha256': 1 });
// One applies at a time: whoever comes second makes its rendition again, out of what the first one hid as well.
redactionSchema.index(
  { tenant_id: 1, 'subject.kind': 1, 'subject.id': 1, ordinal: 1 },
  { unique: true, partialFilterExpression: { ordinal: { $exists: true } } },
);
redactionSchema.index(...PENDING_INDEX);

type RedactionModel = Model<RedactionRow>;

export const redactionModel = (connection: Connection): RedactionModel =>
  (connection.models['Redaction'] as RedactionModel | undefined) ??
  connection.model<RedactionRow>('Redaction', redactionSchema);

const redactionOf = ({ _id, pending: _, stored: __, ...rest }: RedactionRow): StoredRedaction => ({
  ...rest,
  redaction_id: _id,
});

/** Redactions by tenant; every filter begins with the tenant. */
export function redactionStore(model: RedactionModel, outbox: EffectRelay): RedactionStore {
  return (tenantId) => new MongoTenantRedactions(model, outbox, tenantId);
}

const FILTERS = [
  ['status', 'status'],
  ['subject_kind', 'subject.kind'],
  ['subject_id', 'subject.id'],
] as const;

class MongoTenantRedactions implements TenantRedactions {
  readonly #model: RedactionModel;
  readonly #outbox: EffectRelay;
  readonly #tenantId: TenantId;

  constructor(model: RedactionModel, outbox: EffectRelay, tenantId: TenantId) {
    this.#model = model;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(redactionId: string): Promise<StoredRedaction | null> {
    const found = await this.#model.findOne(this.#one(redactionId)).lean<RedactionRow>().exec();
    return found === null ? null : redactionOf(found);
  }

  async list(query: RedactionQuery): Promise<readonly StoredRedaction[]> {
    const page = keysetQuery('created_at', query);
    const filters = FILTERS.flatMap(([asked, name]) => (query[asked] === undefined ? [] : [{ [name]: query[asked] }]));
    const rows = await this.#model
      .find({ $and: [{ tenant_id: this.#tenantId }, ...filters, page.filter] })
      .sort(page.sort)
      .limit(page.fetch)
      .lean<RedactionRow[]>()
      .exec();
    return rows.map(redactionOf);
  }

  async applied({ kind, id }: RedactionSubject): Promise<readonly StoredRedaction[]> {
    const rows = await this.#model
      .find({ tenant_id: this.#tenantId, 'subject.kind': kind, 'subject.id': id, ordinal: { $exists: true } })
      .sort({ ordinal: 1 })
      .lean<RedactionRow[]>()
      .exec();
    return rows.map(redactionOf);
  }

  async insert({ redaction, change, pending }: RedactionWrite): Promise<StoredRedaction | null> {
    const { redaction_id, ...rest } = redaction;
    try {
      await this.#model.create({ _id: redaction_id, ...rest, history: [change], pending } as never);
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
    return { redaction_id, ...rest, history: [change] };
  }

  async replace({ redaction, change, pending }: RedactionWrite, revision: number): Promise<StoredRedaction | null> {
    const { redaction_id, ...rest } = redaction;
    try {
      const changed = await this.#model
        .findOneAndUpdate(
          { ...this.#one(redaction_id), revision },
          { $set: rest, $push: { history: change, pending: { $each: [...pending] } } } as never,
          { returnDocument: 'after' },
        )
        .lean<RedactionRow>()
        .exec();
      return changed === null ? null : redactionOf(changed);
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
  }

  async noteStored(redactionId: string, sha256: string, at: Date): Promise<void> {
    const change = { $push: { stored: { sha256, noted_at: at } } };
    await this.#model.updateOne(this.#one(redactionId), change as never).exec();
  }

  relay({ redaction, pending }: RedactionWrite): Promise<void> {
    return this.#outbox.relay(REDACTION_COLLECTION, redaction.redaction_id, pending);
  }

  async isSettled(redactionId: string): Promise<boolean> {
    const found = await this.#model.findOne(this.#one(redactionId), { pending: 1 }).lean<RedactionRow>().exec();
    return (found?.pending ?? []).length === 0;
  }

  #one(redactionId: string): { readonly _id: string; readonly tenant_id: TenantId } {
    return { _id: redactionId, tenant_id: this.#tenantId };
  }
}
