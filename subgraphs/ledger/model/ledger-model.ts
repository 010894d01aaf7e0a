import { Schema } from 'mongoose';

// Indexes are declared here and built from here; reads and writes go through the driver's collection
// (ledger-repository.ts), because a mongoose document costs more than everything else in an append.

const digest = { type: String, required: true } as const;

export const LEDGER_COLLECTION = 'ledger';

export const ledgerSchema = new Schema(
  {
    _id: { tenant_id: String, source_system: String, seq: Number },
    tenant_id: { type: String, required: true },
    source_system: { type: String, required: true },
    event_id: { type: String, required: true },
    recorded_at: { type: Date, required: true },
    commit: digest,
    fields: digest,
    prev_hash: digest,
    entry_hash: digest,
    record: Buffer,
    seed: Buffer,
    worm_sha256: String,
    fact_key: String,
    duplicate_key: String,
    query: { effective_at: Date, event_family: String, event_type: String, outcome: String, member_id: String },
  },
  { collection: LEDGER_COLLECTION, versionKey: false, autoIndex: false },
);

// One index stops duplicates, finds conflicts and lists the events of a source record: fact_key follows from the
// envelope, so uniqueness of the whole is uniqueness of duplicate_key within (tenant, source system).
ledgerSchema.index(
  { tenant_id: 1, source_system: 1, fact_key: 1, duplicate_key: 1 },
  { unique: true, partialFilterExpression: { fact_key: { $exists: true } } },
);
ledgerSchema.index({ tenant_id: 1, event_id: 1 });
ledgerSchema.index({ tenant_id: 1, 'query.effective_at': -1, event_id: -1 });
ledgerSchema.index(
  { tenant_id: 1, 'query.member_id': 1, 'query.effective_at': -1, event_id: -1 },
  { partialFilterExpression: { 'query.member_id': { $exists: true } } },
);

/** How far the tailer has seen each chain copied; losing a row only costs looking again. */
export const copiedSchema = new Schema(
  { _id: { tenant_id: String, source_system: String }, seq: { type: Number, required: true } },
  { collection: 'ledger_copied', versionKey: false, autoIndex: false },
);
