import type { Db } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { IngestAnswer, IngestRow, IngestStore } from '../service/ports/ingest-store.js';

const mixed = { type: Schema.Types.Mixed, required: true } as const;

export const ingestSchema = new Schema(
  { _id: { tenant_id: String, ingest_id: String }, answer: mixed },
  { collection: 'ingests', versionKey: false, autoIndex: false, minimize: false },
);

// What became of a body is asked by its hash: one small entry a raw message.
ingestSchema.index({ '_id.tenant_id': 1, 'answer.raw_sha256': 1 });

export const ingestPageSchema = new Schema(
  { _id: { tenant_id: String, ingest_id: String, page: Number }, rows: mixed },
  { collection: 'ingest_pages', versionKey: false, autoIndex: false, minimize: false },
);

export interface StoredIngest {
  readonly _id: { readonly tenant_id: string; readonly ingest_id: string };
  readonly answer: IngestAnswer;
}

interface StoredPage {
  readonly _id: { readonly tenant_id: string; readonly ingest_id: string; readonly page: number };
  readonly rows: readonly IngestRow[];
}

/** Raw ingests of one tenant over the driver's collections. */
export function mongoIngestStore(db: Db): (tenantId: string) => IngestStore {
  const ingests = db.collection<StoredIngest>('ingests');
  const pages = db.collection<StoredPage>('ingest_pages');
  return (tenant_id) => ({
    savePage: async (ingest_id, page, rows) => {
      await unlessThere(pages.insertOne({ _id: { tenant_id, ingest_id, page }, rows }, { writeConcern: DURABLE }));
    },
    save: async (answer) => {
      const _id = { tenant_id, ingest_id: answer.ingest_id };
      if (await unlessThere(ingests.insertOne({ _id, answer }, { writeConcern: DURABLE }))) return answer;
      const standing = await ingests.findOne({ _id });
      if (!standing) throw new Error('an ingest is taken, and cannot be read');
      return standing.answer;
    },
    saveMany: async (answers, rows) => {
      const paged = rows.map(({ ingest_id, page, rows: held }) => ({
        _id: { tenant_id, ingest_id, page },
        rows: held,
      }));
      if (paged.length > 0) await pages.insertMany(paged, { writeConcern: DURABLE });
      const told = answers.map((answer) => ({ _id: { tenant_id, ingest_id: answer.ingest_id }, answer }));
      if (told.length > 0) await ingests.insertMany(told, { writeConcern: DURABLE });
    },
    find: async (ingest_id) => (await ingests.findOne({ _id: { tenant_id, ingest_id } }))?.answer ?? null,
    page: async (ingest_id, page) => (await pages.findOne({ _id: { tenant_id, ingest_id, page } }))?.rows ?? null,
  });
}

/** False when there is a document of that `_id` already. */
async function unlessThere(inserting: Promise<unknown>): Promise<boolean> {
  try {
    await inserting;
    return true;
  } catch (error) {
    if (duplicateKeyOf(error)) return false;
    throw error;
  }
}
