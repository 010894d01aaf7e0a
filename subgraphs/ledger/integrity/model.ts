import { type Collection, type Db, type Document, type Filter, MaxKey, MinKey } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { shortText } from '../../../shared/json/short-text.js';
import type { LedgerRow } from '../append/domain/index.js';
import { LEDGER_COLLECTION, readEntryHeader } from '../append/index.js';
import type {
  EntryHeader,
  IntegrityStore,
  IntegritySums,
  NamedRecord,
  ReconcileRow,
  ScrubRow,
  TenantIntegrity,
} from './ports.js';

/** Progress of the walk over a tenant's write-once store; a lost row only costs another walk. */
type StoredScrub = ScrubRow & { readonly _id: string };
/** Progress of reconciliation in a chain; a lost row only costs another comparison. */
type StoredReconcile = ReconcileRow & { readonly _id: { readonly tenant_id: string; readonly source_system: string } };

const HEADER_FIELDS = {
  event_id: 1,
  commit: 1,
  fields: 1,
  member_tag: 1,
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

/** Metrics over all tenants: findings of the last complete walk of each, and the age of the oldest unread record. */
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

  async recordNames(eventIds: readonly string[]): Promise<ReadonlyMap<string, NamedRecord>> {
    const filter = { tenant_id: this.#tenantId, event_id: { $in: [...eventIds] } };
    const projection = { _id: 0, event_id: 1, worm_sha256: 1, commit: 1 } as const;
    const rows = await this.#in.rows.find(filter, { projection, batchSize: eventIds.length + 1 }).toArray();
    return new Map(
      rows.map(({ event_id, worm_sha256, commit }) => [event_id, { worm_sha256: worm_sha256 ?? null, commit }]),
    );
  }

  async disposalIds(sourceSystem: string, sequences: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const ids = sequences.map((seq) => ({ tenant_id: this.#tenantId, source_system: sourceSystem, seq }));
    const filter: Filter<LedgerRow> = { _id: { $in: ids }, disposal_id: { $exists: true } };
    const rows = await this.#in.rows.find(filter, { projection: { disposal_id: 1 } }).toArray();
    return new Map(rows.map(({ _id, disposal_id }) => [_id.seq, shortText(disposal_id)]));
  }

  async strayKeys(sourceSystem: string | null, limit: number): Promise<readonly string[]> {
    const own = { tenant_id: this.#tenantId };
    const place = (value: unknown): Document =>
      sourceSystem === null ? { ...own, source_system: value } : { ...own, source_system: sourceSystem, seq: value };
    // Texts lie between '' and every object; sequences between 1 and the greatest.
    const [first, last] = sourceSystem === null ? ['', {}] : [1, Number.MAX_SAFE_INTEGER];
    const outside: readonly Document[] = [
      { $gte: place(new MinKey()), $lt: place(first) },
      { [sourceSystem === null ? '$gte' : '$gt']: place(last), $lte: place(new MaxKey()) },
    ];
    const options = { projection: { _id: 1 }, limit } as const;
    const found = await Promise.all(outside.map((_id) => this.#in.rows.find({ _id } as Document, options).toArray()));
    return found.flat().map(({ _id }) => shortText(_id));
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
      // No row yet: the first save inserts it; a concurrent one finds it taken.
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
    const filter: Document = { _id: chains };
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
