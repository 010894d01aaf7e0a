import { type Connection, type Model, Schema } from 'mongoose';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type Outbox, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { LeadQuery, LeadStore, LeadWrite, StoredLead, TenantLeads } from '../service/ports/lead-store.js';

export const LEAD_COLLECTION = 'leads';

/** `_id` is the lead_id. */
interface LeadDocument extends Omit<StoredLead, 'lead_id'> {
  readonly _id: string;
  readonly pending: readonly PendingEffect[];
}

const LEAD_SCHEMA = new Schema<LeadDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    lead_type: { type: String, required: true },
    source: { type: String, default: null },
    sealed: { type: Buffer, required: true },
    consent_to_contact: { type: Boolean, required: true },
    score: { type: Number, default: null },
    assigned_to: { type: String, default: null },
    duplicate_of: { type: String, default: null },
    converted_to: { type: Schema.Types.Mixed, default: null } as never,
    close_reason: { type: String, default: null },
    status: { type: String, required: true },
    revision: { type: Number, required: true },
    created_at: { type: Date, required: true },
    created_by: { type: String, required: true },
    updated_at: { type: Date, required: true },
    history: { type: [Schema.Types.Mixed], required: true } as never,
    pending: { type: [Schema.Types.Mixed], default: [] } as never,
  },
  { collection: LEAD_COLLECTION, versionKey: false, strict: 'throw', strictQuery: 'throw' },
);
LEAD_SCHEMA.index({ tenant_id: 1, created_at: -1, _id: -1 });
LEAD_SCHEMA.index({ tenant_id: 1, status: 1, created_at: -1, _id: -1 });
LEAD_SCHEMA.index(...PENDING_INDEX);

type LeadModel = Model<LeadDocument>;

export const leadModel = (connection: Connection): LeadModel =>
  (connection.models['Lead'] as LeadModel | undefined) ?? connection.model<LeadDocument>('Lead', LEAD_SCHEMA);

const leadOf = ({ _id, pending: _, sealed, ...rest }: LeadDocument): StoredLead => ({
  ...rest,
  lead_id: _id,
  // Lean reads give the driver's Binary.
  sealed: Buffer.isBuffer(sealed) ? sealed : Buffer.from((sealed as unknown as { buffer: Uint8Array }).buffer),
});

/** Leads by tenant; every filter begins with the tenant. */
export function leadStore(model: LeadModel, outbox: Outbox): LeadStore {
  return (tenantId) => new MongoTenantLeads(model, outbox, tenantId);
}

class MongoTenantLeads implements TenantLeads {
  readonly #model: LeadModel;
  readonly #outbox: Outbox;
  readonly #tenantId: TenantId;

  constructor(model: LeadModel, outbox: Outbox, tenantId: TenantId) {
    this.#model = model;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(leadId: string): Promise<StoredLead | null> {
    const found = await this.#model.findOne(this.#one(leadId)).lean<LeadDocument>().exec();
    return found === null ? null : leadOf(found);
  }

  async list(query: LeadQuery): Promise<readonly StoredLead[]> {
    const page = keysetQuery('created_at', query);
    const filters = (['status', 'lead_type', 'source', 'assigned_to'] as const).flatMap((name) =>
      query[name] === undefined ? [] : [{ [name]: query[name] }],
    );
    const rows = await this.#model
      .find({ $and: [{ tenant_id: this.#tenantId }, ...filters, page.filter] })
      .sort(page.sort)
      .limit(page.fetch)
      .lean<LeadDocument[]>()
      .exec();
    return rows.map(leadOf);
  }

  async insert({ lead: { lead_id, ...rest }, change, pending }: LeadWrite): Promise<StoredLead | null> {
    try {
      await this.#model.create({ _id: lead_id, ...rest, history: [change], pending });
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
    return { lead_id, ...rest, history: [change] };
  }

  async replace(
    { lead: { lead_id, ...rest }, change, pending }: LeadWrite,
    revision: number,
  ): Promise<StoredLead | null> {
    const changed = await this.#model
      .findOneAndUpdate(
        { ...this.#one(lead_id), revision },
        { $set: rest, $push: { history: change, pending: { $each: pending } } },
        { returnDocument: 'after' },
      )
      .lean<LeadDocument>()
      .exec();
    return changed === null ? null : leadOf(changed);
  }

  relay({ lead, pending }: LeadWrite): Promise<void> {
    return this.#outbox.relay(LEAD_COLLECTION, lead.lead_id, pending);
  }

  #one(leadId: string): { readonly _id: string; readonly tenant_id: TenantId } {
    return { _id: leadId, tenant_id: this.#tenantId };
  }
}
