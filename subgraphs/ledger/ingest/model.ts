import { type Db, Long } from 'mongodb';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { declareCollection } from '../../../shared/records/collections.js';
import type { NumberState } from './domain.js';
import {
  type AcknowledgementNumbers,
  type ControlNumberStore,
  HIGHEST_NUMBER,
  type IngestAnswer,
  type IngestRow,
  type IngestStore,
  type NumberStream,
} from './ports.js';

/** One small entry per raw message finds its result by hash. */
export const INGESTS = declareCollection('ingests', [{ '_id.tenant_id': 1, 'answer.raw_sha256': 1 }]);

export interface StoredIngest {
  readonly _id: { readonly tenant_id: string; readonly ingest_id: string };
  readonly answer: IngestAnswer;
}

interface StoredPage {
  readonly _id: { readonly tenant_id: string; readonly ingest_id: string; readonly page: number };
  readonly rows: readonly IngestRow[];
}

/** Stores the raw ingests of one tenant. */
export function mongoIngestStore(db: Db): (tenantId: string) => IngestStore {
  const ingests = db.collection<StoredIngest>(INGESTS.name);
  const pages = db.collection<StoredPage>('ingest_pages');
  return (tenant_id) => ({
    savePage: async (ingest_id, page, rows) => {
      await unlessThere(pages.insertOne({ _id: { tenant_id, ingest_id, page }, rows }, { writeConcern: DURABLE }));
    },
    save: async (answer) => {
      const _id = { tenant_id, ingest_id: answer.ingest_id };
      if (await unlessThere(ingests.insertOne({ _id, answer }, { writeConcern: DURABLE }))) return answer;
      const standing = await ingests.findOne({ _id });
      if (!standing) throw new Error('a stored ingest cannot be read');
      return standing.answer;
    },
    saveMany: async (answers, rows) => {
      const paged = rows.map(({ ingest_id, page, rows: held }) => ({
        _id: { tenant_id, ingest_id, page },
        rows: held,
      }));
      if (paged.length > 0) await pages.insertMany(paged, { writeConcern: DURABLE });
      const documents = answers.map((answer) => ({ _id: { tenant_id, ingest_id: answer.ingest_id }, answer }));
      if (documents.length > 0) await ingests.insertMany(documents, { writeConcern: DURABLE });
    },
    find: async (ingest_id) => (await ingests.findOne({ _id: { tenant_id, ingest_id } }))?.answer ?? null,
    page: async (ingest_id, page) => (await pages.findOne({ _id: { tenant_id, ingest_id, page } }))?.rows ?? null,
  });
}

/** False if the `_id` exists already. */
async function unlessThere(inserting: Promise<unknown>): Promise<boolean> {
  try {
    await inserting;
    return true;
  } catch (error) {
    if (duplicateKeyOf(error)) return false;
    throw error;
  }
}

interface StoredNumbers {
  readonly _id: { readonly tenant_id: string; readonly format: string };
  /** How many numbers were taken. */
  readonly taken: number | Long;
}

/** Stores the numbers of one tenant's acknowledgements. */
export function mongoAcknowledgementNumbers(db: Db): (tenantId: string) => AcknowledgementNumbers {
  const rows = db.collection<StoredNumbers>('acknowledgement_numbers');
  const raise = async (_id: StoredNumbers['_id'], count: number): Promise<number> => {
    const change = { $inc: { taken: Long.fromNumber(count) } };
    const options = { upsert: true, returnDocument: 'after', writeConcern: DURABLE } as const;
    const row = await rows.findOneAndUpdate({ _id }, change, options);
    if (!row) throw new Error('a reserved number cannot be read');
    return Number(row.taken);
  };
  return (tenant_id) => ({
    async take(format, count) {
      const _id = { tenant_id, format };
      let taken: number;
      try {
        taken = await raise(_id, count);
      } catch (error) {
        // Two first reservations at once: the row exists now.
        if (!duplicateKeyOf(error)) throw error;
        taken = await raise(_id, count);
      }
      return ((taken - count) % HIGHEST_NUMBER) + 1;
    },
  });
}

/** `stream` in the key is a hash, because sender names have any length and characters. */
interface StoredStream extends NumberStream {
  readonly _id: { readonly tenant_id: string; readonly stream: string };
  readonly state: NumberState;
  readonly revision: number;
}

/** Stores the control numbers of one tenant. */
export function mongoControlNumberStore(db: Db): ControlNumberStore {
  const rows = db.collection<StoredStream>('control_numbers');
  return (tenant_id) => {
    const idOf = (stream: NumberStream) => ({ tenant_id, stream: sha256Hex(canonicalJson({ ...stream })) });
    return {
      find: async (stream) => {
        const found = await rows.findOne({ _id: idOf(stream) });
        return found && { state: found.state, revision: found.revision };
      },
      save: async (stream, state, revision) => {
        const _id = idOf(stream);
        if (revision !== null) {
          const change = { $set: { state, revision: revision + 1 } };
          const { matchedCount } = await rows.updateOne({ _id, revision }, change, { writeConcern: DURABLE });
          return matchedCount === 1;
        }
        try {
          await rows.insertOne({ _id, ...stream, state, revision: 1 }, { writeConcern: DURABLE });
          return true;
        } catch (error) {
          if (duplicateKeyOf(error)) return false;
          throw error;
        }
      },
    };
  };
}
