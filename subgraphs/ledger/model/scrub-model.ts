import type { Collection, Db, Filter } from 'mongodb';
import { MaxKey } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import type {
  EntryHeader,
  IntegrityStore,
  IntegritySums,
  ReconcileRow,
  ScrubRow,
  TenantIntegrity,
} from '../service/ports/integrity-store.js';
import { LEDGER_COLLECTION } from './ledger-model.js';
import { readEntryHeader } from './ledger-row-reader.js';

const mixed = { type: Schema.Types.Mixed } as const;

/** Where the walk over each tenant's write-once store stands; losing a row only costs walking again. */
export const scrubSchema = new Schema(
  {
    _id: String,
    version: Number,
    cycle: Number,
    cycle_started_at: Date,
    planned_bytes: Number,
    place: mixed,
    counts: mixed,
    finished: mixed,
    first_started_at: Date,
  },
  { collection: 'ledger_scrubs', versionKey: false, autoIndex: false, minimize: false },
);

/** Where reconciliation stands in each chain; losing a row only costs comparing again. */
export const reconcileSchema = new Schema(
  {
    _id: { tenant_id: String, source_system: String },
    next_seq: Number,
    prev_hash: String,
    pass_started_at: Date,
    passed_at: Date,
    repaired: Number,
    cut_at: Number,
  },
  { collection: 'ledger_reconciled', versionKey: false, autoIndex: false },
);

type StoredScrub = ScrubRow & { readonly _id: string };
type StoredReconcile = ReconcileRow & { readonly _id: { readonly tenant_id: string; readonly source_system: string } };

const HEADER_FIELDS = {
  event_id: 1,
  commit: 1,
  fields: 1,
  prev_hash: 1,
  entry_hash: 1,
  recorded_at: 1,
  worm_sha256: 1,
} as const;

export function mongoIntegrityStore(db: Db): IntegrityStore {
  const collections = {
    rows: db.collection<LedgerRow>(LEDGER_COLLECTION),
    scrubs: db.collection<StoredScrub>('ledger_scrubs'),
    reconciled: db.collection<StoredReconcile>('ledger_reconciled'),
  };
  return (tenantId) => new MongoTenantIntegrity(collections, tenantId);
}

/** Over all tenants, for metrics: what the last whole walk of each found, and the age of what is longest unread. */
export async function scrubSums(
  db: Db,
  nowMs: number,
): Promise<{ readonly oldestUnreadSeconds: number; readonly damaged: number; readonly unexplained: number }> {
  const [sums] = await db
    .collection('ledger_scrubs')
    .aggregate<{ oldest: Date | null; damaged: number; unexplained: number }>([
      {
        $group: {
          _id: null,
          oldest: { $min: { $ifNull: ['$finished.started_at', '$first_started_at'] } },
          damaged: { $sum: '$finished.damaged' },
          unexplained: { $sum: '$finished.unexplained' },
        },
      },
    ])
    .toArray();
  const oldestMs = sums?.oldest?.getTime() ?? nowMs;
  return {
    oldestUnreadSeconds: Math.max(0, (nowMs - oldestMs) / 1000),
    damaged: sums?.damaged ?? 0,
    unexplained: sums?.unexplained ?? 0,
  };
}

interface Collections {
  readonly rows: Collection<LedgerRow>;
  readonly scrubs: Collection<StoredScrub>;
  readonly reconciled: Collection<StoredReconcile>;
}

class MongoTenantIntegrity implements TenantIntegrity {
  readonly #in: Collections;
  readonly #tenantId: string;

  constructor(collections: Collections, tenantId: string) {
    this.#in = collections;
    this.#tenantId = tenantId;
  }

  async headers(sourceSystem: string, fromSeq: number, limit: number): Promise<readonly EntryHeader[]> {
    const id = (seq: number) => ({ tenant_id: this.#tenantId, source_system: sourceSystem, seq });
    const options = { projection: HEADER_FIELDS, sort: { _id: 1 }, limit, batchSize: limit + 1, raw: true } as const;
    const filter: Filter<LedgerRow> = { _id: { $gte: id(fromSeq), $lte: id(Number.MAX_SAFE_INTEGER) } };
    const rows: unknown[] = await this.#in.rows.find(filter, options).toArray();
    return rows.map(readEntryHeader);
  }

  async recordNames(eventIds: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    const filter = { tenant_id: this.#tenantId, event_id: { $in: [...eventIds] } };
    const projection = { _id: 0, event_id: 1, worm_sha256: 1 } as const;
    const rows = await this.#in.rows.find(filter, { projection, batchSize: eventIds.length + 1 }).toArray();
    return new Map(rows.map(({ event_id, worm_sha256 }) => [event_id, worm_sha256 ?? null]));
  }

  async disposalIds(sourceSystem: string, sequences: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const ids = sequences.map((seq) => ({ tenant_id: this.#tenantId, source_system: sourceSystem, seq }));
    const filter: Filter<LedgerRow> = { _id: { $in: ids }, disposal_id: { $exists: true } };
    const rows = await this.#in.rows.find(filter, { projection: { disposal_id: 1 } }).toArray();
    return new Map(rows.map(({ _id, disposal_id }) => [_id.seq, String(disposal_id)]));
  }

  async scrub(): Promise<ScrubRow | null> {
    const found = await this.#in.scrubs.findOne({ _id: this.#tenantId });
    if (!found) return null;
    const { _id: _, ...row } = found;
    return row;
  }

  async saveScrub(row: ScrubRow): Promise<boolean> {
    const filter: Filter<StoredScrub> = { _id: this.#tenantId, version: row.version };
    const kept = { ...row, version: row.version + 1 };
    try {
      // No row yet: the first save inserts; of two, one finds the other's there.
      const upsert = row.version === 0;
      const { matchedCount, upsertedCount } = await this.#in.scrubs.updateOne(
        filter,
        { $set: kept },
        { upsert, writeConcern: DURABLE },
      );
      return matchedCount + upsertedCount === 1;
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
      return false;
    }
  }

  async reconciled(sourceSystem: string): Promise<ReconcileRow | null> {
    const found = await this.#in.reconciled.findOne({ _id: this.#chainId(sourceSystem) });
    if (!found) return null;
    const { _id: _, ...row } = found;
    return row;
  }

  async saveReconciled(sourceSystem: string, row: ReconcileRow): Promise<void> {
    await this.#in.reconciled.updateOne({ _id: this.#chainId(sourceSystem) }, { $set: row }, { upsert: true });
  }

  async sums(): Promise<IntegritySums> {
    const chains = { $gte: this.#chainId(''), $lt: { tenant_id: this.#tenantId, source_system: new MaxKey() } };
    const filter = { _id: chains } as unknown as Filter<StoredReconcile>;
    const reconciled = await this.#in.reconciled.find(filter).toArray();
    return {
      scrub: await this.scrub(),
      reconciled: reconciled.map(({ _id, ...row }) => ({ ...row, source_system: _id.source_system })),
    };
  }

  #chainId(source_system: string): { tenant_id: string; source_system: string } {
    return { tenant_id: this.#tenantId, source_system };
  }
}
