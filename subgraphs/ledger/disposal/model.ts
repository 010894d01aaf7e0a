import type { Collection, Db, Filter } from 'mongodb';
import type { DisposalCursor } from '../../../shared/contracts/disposal.js';
import { DURABLE } from '../../../shared/db/database.js';
import type { RecordState, StateRows } from '../../../shared/facts/record-states.js';
import { jsonOf } from '../../../shared/facts/state-json.js';
import { AI_PROVENANCE_PARTITION, SYSTEM_PARTITIONS, type TenantId } from '../../../shared/ids/tenant.js';
import type { LedgerRow } from '../append/domain/index.js';
import { DISPOSED_INDEX, LEDGER_COLLECTION } from '../append/index.js';
import { EXCEPTIONS } from '../exceptions/index.js';
import type { IngestRow, StoredIngest } from '../ingest/index.js';
import type { StateFacts } from '../integrity/index.js';
import { DISPOSED_MEMBERS } from './domain.js';
import type { AgedQuery, DisposalStore, KeptRow, MembersQuery, StrippedRow, TenantDisposals } from './ports.js';

const RESERVED = [...SYSTEM_PARTITIONS, AI_PROVENANCE_PARTITION];
const KEPT = { event_id: 1, query: 1, record: 1, worm_sha256: 1, from_raw: 1 } as const;

const CONTENT = Object.fromEntries(DISPOSED_MEMBERS.map((name) => [name, ''] as const));

interface StoredPage {
  readonly _id: { readonly tenant_id: string; readonly ingest_id: string; readonly page: number };
  readonly rows: readonly IngestRow[];
}

interface Collections {
  readonly rows: Collection<LedgerRow>;
  /** The same rows under the credential that may remove content. */
  readonly stripped: Collection<LedgerRow>;
  readonly ingests: Collection<StoredIngest>;
  readonly pages: Collection<StoredPage>;
  readonly exceptions: Collection;
}

/** @param retention the database under the retention credential; the service's own if there is no other. */
export function mongoDisposalStore(db: Db, retention: Db): DisposalStore {
  const collections: Collections = {
    rows: db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true }),
    stripped: retention.collection<LedgerRow>(LEDGER_COLLECTION),
    ingests: db.collection<StoredIngest>('ingests'),
    pages: db.collection<StoredPage>('ingest_pages'),
    exceptions: db.collection(EXCEPTIONS.name),
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

  aged({ beforeMs, after, limit }: AgedQuery): Promise<readonly LedgerRow[]> {
    return this.#inOrder({}, { $lt: new Date(beforeMs) }, after, limit);
  }

  ofMembers({ memberIds, after, limit }: MembersQuery): Promise<readonly LedgerRow[]> {
    return this.#inOrder({ 'query.member_id': { $in: [...memberIds] } }, {}, after, limit);
  }

  /** Returns one page by (effective time, event id). */
  async #inOrder(
    among: object,
    within: object,
    after: DisposalCursor | null,
    limit: number,
  ): Promise<readonly LedgerRow[]> {
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
    };
    const sort = { 'query.effective_at': 1, event_id: 1 } as const;
    return this.#in.rows.find(filter).sort(sort).limit(limit).toArray();
  }

  async rowsOf(eventIds: readonly string[]): Promise<readonly LedgerRow[]> {
    return this.#in.rows.find({ tenant_id: this.#tenantId, event_id: { $in: [...eventIds] } }).toArray();
  }

  async kept(eventIds: readonly string[]): Promise<readonly KeptRow[]> {
    const filter = { tenant_id: this.#tenantId, event_id: { $in: [...eventIds] }, record: { $exists: true } };
    return this.#in.rows.find(filter, { projection: KEPT }).toArray();
  }

  async stripped(eventIds: readonly string[]): Promise<ReadonlySet<string>> {
    const filter = { tenant_id: this.#tenantId, event_id: { $in: [...eventIds] }, record: { $exists: false } };
    const rows = await this.#in.rows.find(filter, { projection: { _id: 0, event_id: 1 } }).toArray();
    return new Set(rows.map(({ event_id }) => event_id));
  }

  async strip(rows: readonly StrippedRow[]): Promise<void> {
    const own = rows.filter(({ place }) => place.tenant_id === this.#tenantId);
    if (own.length === 0) return;
    const writes = own.map(({ place, disposal_id, disposed_of, map_logs }) => {
      const set = {
        disposal_id,
        ...(disposed_of.length === 0 ? {} : { disposed_of: [...disposed_of] }),
        ...(map_logs.length === 0 ? {} : { map_logs: [...map_logs] }),
      };
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

/** The rows of a tenant without a record, chain by chain, for the command that adopts rows of earlier versions. */
export const rowsWithoutRecord =
  (db: Db) =>
  (tenant_id: string): AsyncIterable<LedgerRow> => {
    const rows = db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true });
    return rows.find({ tenant_id, record: { $exists: false } }, { sort: { _id: 1 } });
  };

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

/**
 * The rows of disposed events, for verification: those that name a disposal, and those that a fact calls disposed.
 *
 * @param factsOf the facts of one tenant.
 */
export function disposalStates(db: Db, factsOf: (tenantId: string) => Pick<StateFacts, 'subjects'>): StateRows {
  const rows = db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true });
  /** Events in order; the last of a full list is where the page ends. */
  const marked = async (tenant_id: TenantId, after: string, limit: number): Promise<readonly string[]> => {
    const filter = { tenant_id, disposal_id: { $exists: true }, event_id: { $gt: after } };
    const page = { limit, batchSize: limit + 1, hint: DISPOSED_INDEX } as const;
    const options = { projection: { event_id: 1 }, sort: { event_id: 1 }, ...page } as const;
    return (await rows.find(filter, options).toArray()).map(({ event_id }) => event_id);
  };
  return {
    collection: LEDGER_COLLECTION,
    form: 'LATEST',
    page: async (tenantId, after, limit) => {
      const [subjects, named] = await Promise.all([
        factsOf(tenantId).subjects('disposal', after, limit),
        marked(tenantId, after ?? '', limit),
      ]);
      const ends = [subjects, named].flatMap((list) => (list.length < limit ? [] : (list.at(-1) ?? [])));
      const next = ends.sort()[0] ?? null;
      const ids = [...new Set([...subjects, ...named])].filter((id) => next === null || id <= next);
      const found = await rows.find({ tenant_id: tenantId, event_id: { $in: ids } }).toArray();
      const stored = new Set(found.map(({ event_id }) => event_id));
      const gone = ids.filter((id) => !stored.has(id)).map(goneRow);
      return { rows: [...found.map(stateOfDisposed), ...gone], next };
    },
  };
}

/** A row that keeps its content names no disposal; any other must lack exactly what its fact names. */
function stateOfDisposed(row: LedgerRow): RecordState {
  const { event_id: id, record, disposal_id } = row;
  const members = new Set(Object.keys(row));
  const isKept = record !== undefined && disposal_id === undefined;
  const removed = isKept ? null : DISPOSED_MEMBERS.filter((name) => !members.has(name));
  return { id, fact: null, state: { disposal_id: jsonOf(disposal_id), removed }, field: null };
}

const goneRow = (id: string): RecordState => ({ id, fact: null, state: null, field: null, mark: 'GONE' });
