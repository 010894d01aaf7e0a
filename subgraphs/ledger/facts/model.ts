import type { Collection, Db, Filter } from 'mongodb';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { type DuplicateKeys, type LedgerRow, stateFactKey } from '../append/domain/index.js';
import { duplicateKeysOf, LEDGER_COLLECTION } from '../append/index.js';
import { runsOf } from './domain.js';
import type { AskedRows, EntryPlaceKey, FactRows, FactRowsByTenant, NamingFact } from './ports.js';

const firstFactKey = (subject: string): string => stateFactKey(subject, null);
/** Later facts end with the hash of the one before. */
const FIRST_FACT = /first$/;

export const mongoFactRows = (db: Db, masterKey: MasterKey): FactRowsByTenant => {
  const rows = db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true });
  const known = new Map<string, FactRows>();
  return (tenantId) => {
    const made = known.get(tenantId) ?? new MongoFactRows(rows, tenantId, duplicateKeysOf(masterKey, tenantId));
    known.set(tenantId, made);
    return made;
  };
};

class MongoFactRows implements FactRows {
  readonly #rows: Collection<LedgerRow>;
  readonly #tenantId: string;
  readonly duplicateKeys: DuplicateKeys;

  constructor(rows: Collection<LedgerRow>, tenantId: string, duplicateKeys: DuplicateKeys) {
    this.duplicateKeys = duplicateKeys;
    this.#rows = rows;
    this.#tenantId = tenantId;
  }

  /** One call to the database: every page of records with facts costs it. */
  async find({ places, keys }: AskedRows): Promise<readonly LedgerRow[]> {
    const { runs, others } = runsOf(places);
    const named = [...keys].filter(([, wanted]) => wanted.size > 0);
    const conditions: readonly Filter<LedgerRow>[] = [
      ...runs.map(({ source_system, from, to }) => {
        const id = (seq: number) => ({ tenant_id: this.#tenantId, source_system, seq });
        return { _id: { $gte: id(from), $lte: id(to) } };
      }),
      ...(others.length === 0 ? [] : [{ _id: { $in: others.map((place) => this.#id(place)) } }]),
      ...named.map(([source_system, wanted]) => ({
        tenant_id: this.#tenantId,
        source_system,
        fact_key: { $in: [...wanted] },
      })),
    ];
    const [only, ...more] = conditions;
    if (only === undefined) return [];
    const most =
      others.length +
      runs.reduce((sum, { from, to }) => sum + to - from + 1, 0) +
      named.reduce((sum, [, wanted]) => sum + wanted.size, 0);
    return this.#rows.find(more.length === 0 ? only : { $or: [...conditions] }, { batchSize: most + 1 }).toArray();
  }

  async subjectsBetween(sourceSystem: string, after: string, before: string, limit: number) {
    const own = { tenant_id: this.#tenantId, source_system: sourceSystem };
    const fact_key = { $gt: firstFactKey(after), $lt: before, $regex: FIRST_FACT };
    const rows = await this.#rows
      .find({ ...own, fact_key }, { projection: { _id: 0, fact_key: 1 }, sort: { fact_key: 1 }, limit })
      .toArray();
    return rows.map((row) => (row.fact_key ?? '').split('\u0000')[0] ?? '');
  }

  async keysBetween(source_system: string, after: string, before: string, limit: number): Promise<readonly string[]> {
    // "first" is greater than every hash, so that the first fact is the last of its subject's keys.
    const filter = { tenant_id: this.#tenantId, source_system, fact_key: { $gt: firstFactKey(after), $lt: before } };
    const options = {
      projection: { _id: 0, fact_key: 1 },
      sort: { fact_key: 1 },
      limit,
      batchSize: limit + 1,
    } as const;
    const rows = await this.#rows.find(filter, options).toArray();
    return rows.flatMap(({ fact_key }) => fact_key ?? []);
  }

  async keysNaming(source_system: string, refs: readonly string[]): Promise<readonly string[]> {
    const filter = { tenant_id: this.#tenantId, source_system, 'query.fact_refs': { $in: [...refs] } };
    const rows = await this.#rows.find(filter, { projection: { _id: 0, fact_key: 1 } }).toArray();
    return rows.flatMap(({ fact_key }) => fact_key ?? []);
  }

  async namesBetween(source_system: string, after: string, before: string): Promise<readonly NamingFact[]> {
    const filter = {
      tenant_id: this.#tenantId,
      source_system,
      'query.fact_refs': { $elemMatch: { $gt: after, $lt: before } },
    };
    const projection = { _id: 0, fact_key: 1, 'query.fact_refs': 1 } as const;
    const rows = await this.#rows.find(filter, { projection }).toArray();
    return rows.map(({ fact_key = '', query }) => ({ key: fact_key, refs: query?.fact_refs ?? [] }));
  }

  async keysSince(source_system: string, sinceMs: number): Promise<readonly string[]> {
    const filter = this.#after(source_system, 0);
    const options = { projection: { fact_key: 1, recorded_at: 1 }, sort: { _id: -1 } } as const;
    const keys: string[] = [];
    // recorded_at never decreases along a chain.
    for await (const { fact_key, recorded_at } of this.#rows.find(filter, options)) {
      if (recorded_at.getTime() < sinceMs) break;
      if (fact_key !== undefined) keys.push(fact_key);
    }
    return keys;
  }

  async keysAfter(sourceSystem: string, seq: number) {
    const options = { projection: { fact_key: 1 }, sort: { _id: 1 } } as const;
    const rows = await this.#rows.find(this.#after(sourceSystem, seq), options).toArray();
    return { last: rows.at(-1)?._id.seq ?? null, keys: rows.flatMap(({ fact_key }) => fact_key ?? []) };
  }

  async lastSeq(sourceSystem: string): Promise<number> {
    const options = { projection: { _id: 1 }, sort: { _id: -1 } } as const;
    return (await this.#rows.findOne(this.#after(sourceSystem, 0), options))?._id.seq ?? 0;
  }

  #id({ source_system, seq }: EntryPlaceKey): LedgerRow['_id'] {
    return { tenant_id: this.#tenantId, source_system, seq };
  }

  #after(source_system: string, seq: number) {
    const id = (at: number) => ({ tenant_id: this.#tenantId, source_system, seq: at });
    return { _id: { $gt: id(seq), $lte: id(Number.MAX_SAFE_INTEGER) } };
  }
}
