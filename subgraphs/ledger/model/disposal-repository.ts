import type { Collection, Db, Filter } from 'mongodb';
import type { DisposalCursor } from '../../../shared/contracts/disposal.js';
import { DURABLE } from '../../../shared/db/database.js';
import { AI_PROVENANCE_PARTITION, SYSTEM_PARTITIONS } from '../../../shared/ids/tenant.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import type {
  AgedQuery,
  AgedRow,
  DisposalStore,
  MembersQuery,
  StrippedRow,
  TenantDisposals,
} from '../service/ports/disposal-store.js';
import type { IngestRow } from '../service/ports/ingest-store.js';
import { EXCEPTION_COLLECTION } from './exception-model.js';
import type { StoredIngest } from './ingest-model.js';
import { LEDGER_COLLECTION } from './ledger-model.js';

const RESERVED = [...SYSTEM_PARTITIONS, AI_PROVENANCE_PARTITION];
const AGED = { event_id: 1, recorded_at: 1, query: 1, record: 1, worm_sha256: 1, from_raw: 1 } as const;

/** Everything of a row that is not header (evidence.md section 2 "Disposed"). */
const CONTENT = {
  record: '',
  seed: '',
  worm_sha256: '',
  fact_key: '',
  duplicate_key: '',
  conflicts_with: '',
  from_raw: '',
  query: '',
} as const;

interface StoredPage {
  readonly _id: { readonly tenant_id: string; readonly ingest_id: string; readonly page: number };
  readonly rows: readonly IngestRow[];
}

interface Collections {
  readonly rows: Collection<LedgerRow>;
  /** The same rows under the credential that may take content away. */
  readonly stripped: Collection<LedgerRow>;
  readonly ingests: Collection<StoredIngest>;
  readonly pages: Collection<StoredPage>;
  readonly exceptions: Collection;
}

/** @param retention the database under the retention credential; the service's own where there is no other. */
export function mongoDisposalStore(db: Db, retention: Db): DisposalStore {
  const collections: Collections = {
    rows: db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true }),
    stripped: retention.collection<LedgerRow>(LEDGER_COLLECTION),
    ingests: db.collection<StoredIngest>('ingests'),
    pages: db.collection<StoredPage>('ingest_pages'),
    exceptions: db.collection(EXCEPTION_COLLECTION),
  };
  return (tenantId) => new MongoTenantDisposals(collections, tenantId);
}

class MongoTenantDisposals implements TenantDisposals {
  readonly #in: Collections;
  readonly #tenantId: string;

  constructor(collections: Collections, tenantId: string) {
    this.#in = collections;
    this.#tenantId = tenantId;
  }

  aged({ beforeMs, after, limit }: AgedQuery): Promise<readonly AgedRow[]> {
    return this.#inOrder({}, { $lt: new Date(beforeMs) }, after, limit);
  }

  ofMembers({ memberIds, after, limit }: MembersQuery): Promise<readonly AgedRow[]> {
    return this.#inOrder({ 'query.member_id': { $in: [...memberIds] } }, {}, after, limit);
  }

  /** One page by (effective time, event id). */
  async #inOrder(
    among: object,
    within: object,
    after: DisposalCursor | null,
    limit: number,
  ): Promise<readonly AgedRow[]> {
    const from = after === null ? {} : { $gte: new Date(after.at_ms) };
    const behind =
      after === null
        ? {}
        : {
            $or: [
              { 'query.effective_at': { $gt: new Date(after.at_ms) } },
              { 'query.effective_at': new Date(after.at_ms), event_id: { $gt: after.event_id } },
            ],
          };
    const times = { ...from, ...within };
    const filter = {
      tenant_id: this.#tenantId,
      source_system: { $nin: RESERVED },
      ...among,
      ...(Object.keys(times).length === 0 ? {} : { 'query.effective_at': times }),
      ...behind,
    } as Filter<LedgerRow>;
    const sort = { 'query.effective_at': 1, event_id: 1 } as const;
    return this.#in.rows.find(filter, { projection: AGED }).sort(sort).limit(limit).toArray();
  }

  async kept(eventIds: readonly string[]): Promise<readonly AgedRow[]> {
    const filter = { tenant_id: this.#tenantId, event_id: { $in: [...eventIds] }, record: { $exists: true } };
    return this.#in.rows.find(filter, { projection: AGED }).toArray();
  }

  async disposed(eventIds: readonly string[]): Promise<ReadonlySet<string>> {
    const filter = { tenant_id: this.#tenantId, event_id: { $in: [...eventIds] }, record: { $exists: false } };
    const rows = await this.#in.rows.find(filter, { projection: { _id: 0, event_id: 1 } }).toArray();
    return new Set(rows.map(({ event_id }) => event_id));
  }

  async strip(rows: readonly StrippedRow[], disposalId: string): Promise<void> {
    const own = rows.filter(({ place }) => place.tenant_id === this.#tenantId);
    if (own.length === 0) return;
    const writes = own.map(({ place, disposed_of }) => {
      const set = { disposal_id: disposalId, ...(disposed_of.length === 0 ? {} : { disposed_of: [...disposed_of] }) };
      const update = { $unset: CONTENT, $set: set };
      return { updateOne: { filter: { _id: place, record: { $exists: true } }, update } };
    });
    await this.#in.stripped.bulkWrite(writes, { ordered: false, writeConcern: DURABLE });
  }

  async forgetHashes(rawSha256s: readonly string[], eventIds: readonly string[]): Promise<void> {
    const gone = new Set(eventIds);
    const filter = { '_id.tenant_id': this.#tenantId, 'answer.raw_sha256': { $in: [...rawSha256s] } };
    for await (const { _id, answer } of this.#in.ingests.find(filter)) {
      if (answer.results.some((row) => isHashOf(gone, row))) {
        const results = answer.results.map((row) => withoutHash(gone, row));
        await this.#in.ingests.updateOne({ _id }, { $set: { 'answer.results': results } }, { writeConcern: DURABLE });
      }
      for await (const page of this.#in.pages.find(pagesOf(_id))) {
        if (!page.rows.some((row) => isHashOf(gone, row))) continue;
        const rows = page.rows.map((row) => withoutHash(gone, row));
        await this.#in.pages.updateOne({ _id: page._id }, { $set: { rows } }, { writeConcern: DURABLE });
      }
    }
  }

  async openExceptionsAbout(rawSha256s: readonly string[]): Promise<readonly string[]> {
    const among = { $in: [...rawSha256s] };
    const filter = { tenant_id: this.#tenantId, subject_ids: among, active: true, raw_sha256: among };
    const found: unknown[] = await this.#in.exceptions.distinct('raw_sha256', filter);
    return found.map(String);
  }

  async *eventsOfRaw(rawSha256: string): AsyncGenerator<readonly string[]> {
    const filter = { '_id.tenant_id': this.#tenantId, 'answer.raw_sha256': rawSha256 };
    for await (const { _id, answer } of this.#in.ingests.find(filter)) {
      yield eventIdsOf(answer.results);
      for await (const { rows } of this.#in.pages.find(pagesOf(_id))) yield eventIdsOf(rows);
    }
  }
}

const eventIdsOf = (rows: readonly IngestRow[]): string[] => rows.flatMap(({ event_id }) => event_id ?? []);

const isHashOf = (gone: ReadonlySet<string>, { event_id, worm_sha256 }: IngestRow): boolean =>
  worm_sha256 !== undefined && event_id !== undefined && gone.has(event_id);

function withoutHash(gone: ReadonlySet<string>, row: IngestRow): IngestRow {
  if (!isHashOf(gone, row)) return row;
  const { worm_sha256: _, ...rest } = row;
  return rest;
}

function pagesOf({ tenant_id, ingest_id }: StoredIngest['_id']): Filter<StoredPage> {
  const id = (page: number) => ({ tenant_id, ingest_id, page });
  return { _id: { $gte: id(0), $lte: id(Number.MAX_SAFE_INTEGER) } };
}
