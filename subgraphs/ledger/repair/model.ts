import type { Collection, Db, Document, Filter } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { LedgerRow } from '../append/domain/index.js';
import { LEDGER_COLLECTION } from '../append/index.js';
import { INGESTS, type IngestRow, type StoredIngest } from '../ingest/index.js';
import type { RawOrigin, RepairStore, TenantRepairs } from './ports.js';

/** A repair that has not ended; its time is fixed, so that a second attempt appends no second entries. */
interface StoredRepair {
  readonly _id: string;
  readonly at: Date;
  readonly reason: string;
}

interface StoredPage {
  readonly _id: { readonly tenant_id: string; readonly ingest_id: string; readonly page: number };
  readonly rows: readonly IngestRow[];
}

interface Collections {
  readonly rows: Collection<LedgerRow>;
  /** The same rows under the credential that may change them. */
  readonly changed: Collection<LedgerRow>;
  readonly repairs: Collection<StoredRepair>;
  readonly ingests: Collection<StoredIngest>;
  readonly pages: Collection<StoredPage>;
}

/** @param retention the database under the only credential that may change rows of the ledger. */
export function mongoRepairStore(db: Db, retention: Db): RepairStore {
  const collections: Collections = {
    rows: db.collection<LedgerRow>(LEDGER_COLLECTION),
    changed: retention.collection<LedgerRow>(LEDGER_COLLECTION),
    repairs: db.collection<StoredRepair>('ledger_repairs'),
    ingests: db.collection<StoredIngest>(INGESTS.name),
    pages: db.collection<StoredPage>('ingest_pages'),
  };
  return (tenantId) => new MongoTenantRepairs(collections, tenantId);
}

class MongoTenantRepairs implements TenantRepairs {
  readonly #in: Collections;
  readonly #tenantId: string;

  constructor(collections: Collections, tenantId: string) {
    this.#in = collections;
    this.#tenantId = tenantId;
  }

  async insert(row: LedgerRow): Promise<boolean> {
    return succeeds(async () => {
      await this.#in.rows.insertOne(this.#own(row), { writeConcern: DURABLE });
      return true;
    });
  }

  async replace(stored: LedgerRow, row: LedgerRow): Promise<boolean> {
    const { _id, ...members } = this.#own(row);
    // A disposal in between removes members and names itself: then nothing is written.
    const unchanged: Document = { _id: stored._id };
    for (const name of ['entry_hash', 'record', 'seed', 'disposal_id'] as const) {
      unchanged[name] = stored[name] === undefined ? { $exists: false } : stored[name];
    }
    return succeeds(async () => {
      const filter: Filter<LedgerRow> = unchanged;
      const { matchedCount } = await this.#in.changed.replaceOne(filter, members, { writeConcern: DURABLE });
      return matchedCount === 1;
    });
  }

  async rawOrigin(rawSha256: string, eventId: string): Promise<RawOrigin | null> {
    const filter = { '_id.tenant_id': this.#tenantId, 'answer.raw_sha256': rawSha256 };
    for await (const { _id, answer } of this.#in.ingests.find(filter)) {
      if (answer.results.some((row) => accepts(row, eventId))) return answer;
      const id = (page: number) => ({ tenant_id: _id.tenant_id, ingest_id: _id.ingest_id, page });
      const pages = this.#in.pages.find({ _id: { $gte: id(0), $lte: id(Number.MAX_SAFE_INTEGER) } });
      for await (const { rows } of pages) if (rows.some((row) => accepts(row, eventId))) return answer;
    }
    return null;
  }

  async begin(at: Date, reason: string): Promise<Date> {
    const own = { _id: this.#tenantId };
    const begun = await this.#in.repairs.findOne(own);
    const time: unknown = begun?.at;
    if (begun?.reason === reason && time instanceof Date && time.getTime() <= at.getTime()) return time;
    await this.#in.repairs.replaceOne(own, { at, reason }, { upsert: true, writeConcern: DURABLE });
    return at;
  }

  async end(): Promise<void> {
    await this.#in.repairs.deleteOne({ _id: this.#tenantId }, { writeConcern: DURABLE });
  }

  #own(row: LedgerRow): LedgerRow {
    if (row._id.tenant_id !== this.#tenantId) throw new Error('a row of another tenant');
    return row;
  }
}

const accepts = ({ event_id, status }: IngestRow, eventId: string): boolean =>
  event_id === eventId && status === 'ACCEPTED';

/** @returns false if a unique index rejects the write. */
async function succeeds(write: () => Promise<boolean>): Promise<boolean> {
  try {
    return await write();
  } catch (error) {
    if (duplicateKeyOf(error)) return false;
    throw error;
  }
}
