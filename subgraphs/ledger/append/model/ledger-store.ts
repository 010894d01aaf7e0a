import { type Collection, type Db, type Document, MaxKey } from 'mongodb';
import { sha256Hex } from '../../../../shared/crypto/hash.js';
import { insertInOrder } from '../../../../shared/db/write-outcome.js';
import { Committer } from '../../../../shared/evidence/commitments.js';
import type { WormRecord } from '../../../../shared/worm/worm-store.js';
import { factKeyRange } from '../domain/duplicate-key.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import type {
  AppendOutcome,
  EntryKeys,
  EventQuery,
  LedgerStore,
  Tail,
  TenantLedger,
  WormHash,
} from '../ports/ledger-store.js';
import { LEDGER_COLLECTION, MEMBER_INDEX } from './collections.js';
import { eventFilter } from './event-filter.js';
import { readLedgerRow } from './row-reader.js';

const LAST_SEQ = Number.MAX_SAFE_INTEGER;

const KEYS_ONLY = {
  event_id: 1,
  prev_hash: 1,
  entry_hash: 1,
  recorded_at: 1,
  worm_sha256: 1,
  fact_key: 1,
  duplicate_key: 1,
} as const;

interface CopiedRow {
  readonly _id: { readonly tenant_id: string; readonly source_system: string };
  readonly seq: number;
}

export function mongoLedgerStore(db: Db): LedgerStore {
  const rows = db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true });
  const copied = db.collection<CopiedRow>('ledger_copied');
  const committer = new Committer();
  return {
    forTenant: (tenantId) => new MongoTenantLedger(rows, copied, tenantId, committer),
    tenantIds: () => tenantIds(rows),
  };
}

/** Takes one seek per tenant along the primary key. */
async function* tenantIds(rows: Collection<LedgerRow>): AsyncGenerator<string> {
  let after: unknown = { tenant_id: '' };
  for (;;) {
    const beyond: Document = { _id: { $gt: after } };
    const next = await rows.findOne(beyond, { sort: { _id: 1 }, projection: { _id: 1 } });
    if (!next) return;
    yield next._id.tenant_id;
    after = { tenant_id: next._id.tenant_id, source_system: new MaxKey() };
  }
}

/** The ledger of one tenant over the driver's collection; every filter starts with the tenant. */
class MongoTenantLedger implements TenantLedger {
  readonly #rows: Collection<LedgerRow>;
  readonly #copied: Collection<CopiedRow>;
  readonly #tenantId: string;
  readonly #committer: Committer;

  constructor(rows: Collection<LedgerRow>, copied: Collection<CopiedRow>, tenantId: string, committer: Committer) {
    this.#rows = rows;
    this.#copied = copied;
    this.#tenantId = tenantId;
    this.#committer = committer;
  }

  async tail(sourceSystem: string): Promise<Tail | null> {
    // Reads what a majority has. A primary's own last row may be rolled back in a failover; a row that links to it and
    // goes to the next primary would leave a gap.
    const row = await this.#rows.findOne(this.#chain(sourceSystem), {
      sort: { _id: -1 },
      projection: { entry_hash: 1, recorded_at: 1 },
      readConcern: { level: 'majority' },
    });
    return row && { seq: row._id.seq, entryHash: row.entry_hash, recordedAtMs: row.recorded_at.getTime() };
  }

  entriesByFact(sourceSystem: string, factKeys: readonly string[], limit: number): Promise<EntryKeys[]> {
    const filter = { tenant_id: this.#tenantId, source_system: sourceSystem, fact_key: { $in: [...factKeys] } };
    return this.#rows.find(filter, { projection: KEYS_ONLY }).limit(limit).batchSize(limit).toArray();
  }

  async append(rows: readonly LedgerRow[]): Promise<AppendOutcome> {
    const { written, duplicate, unknown } = await insertInOrder(this.#rows, rows);
    if (unknown) return { written: 0, conflict: 'UNKNOWN', cause: unknown };
    if (duplicate === null) return { written, conflict: null };
    return { written, conflict: duplicate.fields.includes('duplicate_key') ? 'DUPLICATE' : 'SEQUENCE' };
  }

  byEventId(eventId: string): Promise<LedgerRow | null> {
    return this.#rows.findOne({ tenant_id: this.#tenantId, event_id: eventId });
  }

  keysOf(eventId: string): Promise<EntryKeys | null> {
    return this.#rows.findOne({ tenant_id: this.#tenantId, event_id: eventId }, { projection: KEYS_ONLY });
  }

  async list(query: EventQuery): Promise<LedgerRow[]> {
    const sources =
      query.source_record_id === undefined || query.source_system !== undefined ? [] : await this.sourceSystems();
    const direction = query.ascending ? 1 : -1;
    const sort = { 'query.effective_at': direction, event_id: direction } as const;
    const filter = eventFilter(this.#tenantId, query, sources);
    const limit = query.limit + 1;
    return this.#rows.find(filter).sort(sort).limit(limit).batchSize(limit).toArray();
  }

  async ofMembersAt(memberIds: readonly string[], timesMs: readonly number[], limit: number): Promise<LedgerRow[]> {
    const filter = {
      tenant_id: this.#tenantId,
      'query.member_id': { $in: [...memberIds] },
      'query.effective_at': { $in: timesMs.map((timeMs) => new Date(timeMs)) },
    };
    // The events of a large message share their time, so that the index of times would read all of them.
    const rows = await this.#rows.find(filter).hint(MEMBER_INDEX).limit(limit).batchSize(limit).toArray();
    return rows.sort((a, b) => (a.event_id < b.event_id ? -1 : 1));
  }

  async sourceSystems(): Promise<string[]> {
    const names: string[] = [];
    let after: unknown = { tenant_id: this.#tenantId, source_system: '' };
    // Names are texts, which sort before every object.
    const before = { tenant_id: this.#tenantId, source_system: {} };
    for (;;) {
      const filter: Document = { _id: { $gt: after, $lt: before } };
      const next = await this.#rows.findOne(filter, { sort: { _id: 1 }, projection: { _id: 1 } });
      if (!next) return names;
      names.push(next._id.source_system);
      // Behind every sequence, of whatever type.
      after = { ...this.#id(next._id.source_system, LAST_SEQ), seq: new MaxKey() };
    }
  }

  head(sourceSystem: string): Promise<EntryKeys | null> {
    return this.#rows.findOne(this.#chain(sourceSystem), { sort: { _id: -1 }, projection: KEYS_ONLY });
  }

  keys(sourceSystem: string, fromSeq: number, limit: number): Promise<EntryKeys[]> {
    const options = { projection: KEYS_ONLY, sort: { _id: 1 }, limit, batchSize: limit + 1 } as const;
    return this.#rows.find(this.#chain(sourceSystem, fromSeq), options).toArray();
  }

  async rows(sourceSystem: string, fromSeq: number, toSeq: number, limit: number): Promise<LedgerRow[]> {
    // One reply per call: reading a whole batch costs half as much as a cursor row by row.
    const options = { sort: { _id: 1 }, limit, batchSize: limit + 1, raw: true } as const;
    const rows: unknown[] = await this.#rows.find(this.#chain(sourceSystem, fromSeq, toSeq), options).toArray();
    return rows.map(readLedgerRow);
  }

  async rowsOfRecords(source_system: string, sourceRecordIds: readonly string[]): Promise<LedgerRow[]> {
    if (sourceRecordIds.length === 0) return [];
    const ranges = sourceRecordIds.map(factKeyRange).map(({ from, before }) => ({ $gte: from, $lt: before }));
    const filter = { tenant_id: this.#tenantId, source_system, $or: ranges.map((fact_key) => ({ fact_key })) };
    const rows: unknown[] = await this.#rows.find(filter, { raw: true }).toArray();
    return rows.map(readLedgerRow);
  }

  async rowsAt(sourceSystem: string, sequences: readonly number[]): Promise<LedgerRow[]> {
    const ids = sequences.map((seq) => this.#id(sourceSystem, seq));
    const options = { batchSize: ids.length + 1, raw: true } as const;
    const rows: unknown[] = await this.#rows.find({ _id: { $in: ids } }, options).toArray();
    return rows.map(readLedgerRow);
  }

  async wormHashes(sourceSystem: string, fromSeq: number, limit: number): Promise<WormHash[]> {
    const options = { projection: { worm_sha256: 1 }, sort: { _id: 1 }, limit, batchSize: limit } as const;
    const rows = await this.#rows.find(this.#chain(sourceSystem, fromSeq), options).toArray();
    return rows.map(({ _id, worm_sha256 }) => ({ seq: _id.seq, worm_sha256: worm_sha256 ?? null }));
  }

  async records(sourceSystem: string, sequences: readonly number[]): Promise<WormRecord[]> {
    const ids = sequences.map((seq) => this.#id(sourceSystem, seq));
    const projection = { worm_sha256: 1, record: 1, seed: 1, commit: 1 } as const;
    const rows = await this.#rows.find({ _id: { $in: ids } }, { projection, batchSize: ids.length + 1 }).toArray();
    return rows.flatMap(({ worm_sha256, record, seed, commit }) => {
      if (worm_sha256 === undefined || record === undefined || sha256Hex(record) !== worm_sha256) return [];
      // Someone may have changed name and record together; the chain covers only the commitment.
      if (seed === undefined || this.#committer.recordCommit(seed, record) !== commit) return [];
      return [{ sha256: worm_sha256, bytes: record, seed }];
    });
  }

  async copiedUpTo(sourceSystem: string): Promise<number> {
    const row = await this.#copied.findOne({ _id: { tenant_id: this.#tenantId, source_system: sourceSystem } });
    return row?.seq ?? 0;
  }

  async markCopied(sourceSystem: string, seq: number): Promise<void> {
    const _id = { tenant_id: this.#tenantId, source_system: sourceSystem };
    await this.#copied.updateOne({ _id }, { $max: { seq } }, { upsert: true });
  }

  #id(sourceSystem: string, seq: number): LedgerRow['_id'] {
    return { tenant_id: this.#tenantId, source_system: sourceSystem, seq };
  }

  #chain(sourceSystem: string, fromSeq = 0, toSeq = LAST_SEQ): Document {
    return { _id: { $gte: this.#id(sourceSystem, fromSeq), $lte: this.#id(sourceSystem, toSeq) } };
  }
}
