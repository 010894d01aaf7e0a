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
    conflicts_with: { type: [String], default: undefined },
    from_raw: Boolean,
    disposal_id: String,
    disposed_of: { type: [String], default: undefined },
    query: {
      effective_at: Date,
      event_family: String,
      event_type: String,
      outcome: String,
      member_id: String,
      matter_id: String,
      incident_id: String,
      custody_keys: { type: [String], default: undefined },
    },
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

// Bundles gather by them; few events carry one.
for (const name of ['query.matter_id', 'query.incident_id'] as const) {
  ledgerSchema.index(
    { tenant_id: 1, [name]: 1, 'query.effective_at': 1, event_id: 1 },
    { partialFilterExpression: { [name]: { $exists: true } } },
  );
}

ledgerSchema.index(
  { tenant_id: 1, disposed_of: 1, event_id: 1 },
  { partialFilterExpression: { disposed_of: { $exists: true } } },
);

// Few events conflict: what opens their exceptions after a crash finds them without reading the chain.
ledgerSchema.index(
  { tenant_id: 1, source_system: 1, '_id.seq': 1 },
  { partialFilterExpression: { conflicts_with: { $exists: true } } },
);
// Custody is asked for by subject, member, action or actor, in order of time: keys of each entry under one index.
ledgerSchema.index(
  { tenant_id: 1, 'query.custody_keys': 1, 'query.effective_at': 1, event_id: 1 },
  { partialFilterExpression: { 'query.custody_keys': { $exists: true } } },
);

/** How far the tailer has seen each chain copied; losing a row only costs looking again. */
export const copiedSchema = new Schema(
  { _id: { tenant_id: String, source_system: String }, seq: { type: Number, required: true } },
  { collection: 'ledger_copied', versionKey: false, autoIndex: false },
);
