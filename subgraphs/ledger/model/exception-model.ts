import type { Collection, Db } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import type { ExceptionRow, ExceptionStore } from '../service/ports/exception-store.js';

export const exceptionSchema = new Schema(
  {
    tenant_id: { type: String, required: true },
    exception_id: { type: String, required: true },
    kind: { type: String, required: true },
    severity: { type: String, required: true },
    status: { type: String, required: true },
    source: { type: String, required: true },
    subject: { type: Schema.Types.Mixed, required: true },
    subject_key: { type: String, required: true },
    detail: { type: Schema.Types.Mixed, required: true },
    raw_sha256: String,
    active: Boolean,
    created_at: { type: Date, required: true },
    history: [{ at: String, action: String }],
  },
  { collection: 'exceptions', versionKey: false, autoIndex: false, minimize: false },
);
exceptionSchema.index(
  { tenant_id: 1, kind: 1, subject_key: 1 },
  { unique: true, partialFilterExpression: { active: true } },
);
exceptionSchema.index({ tenant_id: 1, exception_id: 1 }, { unique: true });

type StoredException = ExceptionRow & { readonly tenant_id: string };

/** Exceptions of one tenant over the driver's collection. */
export function mongoExceptionStore(db: Db): (tenantId: string) => ExceptionStore {
  const rows = db.collection<StoredException>('exceptions');
  return (tenantId) => ({
    insertNew: async (drafts) => {
      // The upsert is the decision: of two at once, one inserts and both read the same row back.
      await rows.bulkWrite(
        drafts.map((row) => {
          const { kind, subject_key, active, ...rest } = row;
          const filter = { tenant_id: tenantId, kind, subject_key, active };
          return { updateOne: { filter, update: { $setOnInsert: rest }, upsert: true } };
        }),
        { ordered: false, writeConcern: DURABLE },
      );
      return standing(rows, tenantId, drafts);
    },
  });
}

async function standing(
  rows: Collection<StoredException>,
  tenantId: string,
  drafts: readonly ExceptionRow[],
): Promise<readonly ExceptionRow[]> {
  const kinds = [...new Set(drafts.map((row) => row.kind))];
  const subjects = [...new Set(drafts.map((row) => row.subject_key))];
  const filter = { tenant_id: tenantId, kind: { $in: kinds }, subject_key: { $in: subjects }, active: true as const };
  const found = new Map((await rows.find(filter).toArray()).map((row) => [`${row.kind} ${row.subject_key}`, row]));
  return drafts.map((row) => found.get(`${row.kind} ${row.subject_key}`) ?? row);
}
