import type { AnyBulkWriteOperation, Collection, Db, Document } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { declareCollection } from '../../../shared/records/collections.js';
import type { LedgerRow } from '../append/domain/index.js';
import { LEDGER_COLLECTION } from '../append/index.js';
import { EVENT_KEYS_INDEX, EVENT_SEARCH_COLLECTION } from '../event-keys/index.js';
import type { SearchRow } from './domain/row.js';
import type { Candidate, HiddenText, Lead, Look, Looked, SearchStore, TenantSearch } from './ports.js';

/** Texts that redactions removed from the search; every rebuild needs them. */
const SEARCH_HIDDEN_COLLECTION = 'event_search_hidden';
export const SEARCH_CURSOR_COLLECTION = 'event_search_cursors';

/** The index of the search: one entry per term. Within a term the newest event comes first. */
const SEARCH_INDEX = { tenant_id: 1, space: 1, terms: 1, effective_at: -1 } as const;

/** The search index; derived from the ledger, and rebuilt by `npm run search:rebuild`. */
export const SEARCH = declareCollection(EVENT_SEARCH_COLLECTION, [SEARCH_INDEX], [EVENT_KEYS_INDEX]);

interface HiddenRow {
  readonly _id: { readonly tenant_id: string; readonly event_id: string };
  readonly pointers: readonly string[];
}

interface Collections {
  readonly rows: Collection<SearchRow>;
  readonly hidden: Collection<HiddenRow>;
  readonly ledger: Collection<LedgerRow>;
}

const LAST_SEQ = Number.MAX_SAFE_INTEGER;

export function mongoSearchStore(db: Db): SearchStore {
  const collections = {
    rows: db.collection<SearchRow>(SEARCH.name),
    hidden: db.collection<HiddenRow>(SEARCH_HIDDEN_COLLECTION),
    ledger: db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true }),
  };
  return (tenantId) => new MongoTenantSearch(collections, tenantId);
}

/** One tenant's index over the driver's collections; every filter starts with the tenant. */
class MongoTenantSearch implements TenantSearch {
  readonly #in: Collections;
  readonly #tenantId: string;

  constructor(collections: Collections, tenantId: string) {
    this.#in = collections;
    this.#tenantId = tenantId;
  }

  count(space: string, lead: Lead, limit: number): Promise<number> {
    const filter = { tenant_id: this.#tenantId, space, terms: termsFilter(lead) };
    return this.#in.rows.countDocuments(filter, { limit, hint: SEARCH_INDEX });
  }

  async look(look: Look): Promise<Looked> {
    const options = { hint: SEARCH_INDEX, batchSize: look.limit + 1 };
    const found = this.#in.rows.aggregate<Candidate>(this.#pipeline(look), options).toArray();
    const [candidates, end] = await Promise.all([found, look.mayBeCut ? this.#endOf(look) : undefined]);
    const floorMs = look.lead.kind === 'term' ? end?.getTime() : undefined;
    return { candidates, cut: end !== undefined, floorMs };
  }

  async put(rows: readonly SearchRow[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      // Nearly all rows are new, and an insert costs two thirds of an upsert.
      await this.#in.rows.insertMany([...rows], { ordered: false, writeConcern: DURABLE, forceServerObjectId: true });
      return;
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
    const operations = rows.map(
      ({ _id, ...replacement }): AnyBulkWriteOperation<SearchRow> => ({
        // The tenant is the shard key, which an upsert must name.
        replaceOne: { filter: { tenant_id: this.#tenantId, _id }, replacement, upsert: true },
      }),
    );
    await this.#in.rows.bulkWrite(operations, { ordered: false, writeConcern: DURABLE });
  }

  async remove(places: readonly LedgerRow['_id'][]): Promise<void> {
    const own = places.filter(({ tenant_id }) => tenant_id === this.#tenantId);
    if (own.length === 0) return;
    await this.#in.rows.deleteMany({ _id: { $in: [...own] } }, { writeConcern: DURABLE });
  }

  async clear(sourceSystem: string): Promise<void> {
    const id = (seq: number) => ({ tenant_id: this.#tenantId, source_system: sourceSystem, seq });
    await this.#in.rows.deleteMany({ _id: { $gte: id(0), $lte: id(LAST_SEQ) } }, { writeConcern: DURABLE });
  }

  async hiddenOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const _id = { $in: eventIds.map((event_id) => ({ tenant_id: this.#tenantId, event_id })) };
    const found = await this.#in.hidden.find({ _id }).toArray();
    return new Map(found.map((row) => [row._id.event_id, row.pointers]));
  }

  async hide({ event_id, pointers }: HiddenText): Promise<void> {
    const _id = { tenant_id: this.#tenantId, event_id };
    const change = { $addToSet: { pointers: { $each: [...pointers] } } };
    await this.#in.hidden.updateOne({ _id }, change, { upsert: true, writeConcern: DURABLE });
  }

  async disposedOf(places: readonly LedgerRow['_id'][]): Promise<readonly LedgerRow['_id'][]> {
    const own = places.filter(({ tenant_id }) => tenant_id === this.#tenantId);
    const filter = { _id: { $in: [...own] }, record: { $exists: false } };
    const found = await this.#in.ledger.find(filter, { projection: { _id: 1 } }).toArray();
    return found.map(({ _id }) => _id);
  }

  async ledgerRows(places: readonly LedgerRow['_id'][]): Promise<readonly LedgerRow[]> {
    const own = places.filter(({ tenant_id }) => tenant_id === this.#tenantId);
    return this.#in.ledger.find({ _id: { $in: [...own] } }).toArray();
  }

  /**
   * Reads the newest entries of the leading part in index order; the later stages filter them. There is no `$sort`: a
   * database that cannot sort by an index with an array in it would read every entry.
   */
  #pipeline(look: Look): Document[] {
    const { lead, all, none, allPrefixes, nonePrefixes, weighed, withWords, limit } = look;
    const narrowed: Document[] = [];
    if (all.length > 0) narrowed.push({ terms: { $all: [...all] } });
    if (none.length > 0) narrowed.push({ terms: { $nin: [...none] } });
    for (const prefix of allPrefixes) narrowed.push({ terms: beginsWith(prefix) });
    for (const prefix of nonePrefixes) narrowed.push({ terms: { $not: beginsWith(prefix) } });
    const weights = weighed.map((term) => ({
      $arrayElemAt: ['$weights', { $indexOfArray: ['$terms', { $literal: term }] }],
    }));
    return [
      { $match: this.#leadFilter(look, lead) },
      { $limit: limit },
      ...(narrowed.length > 0 ? [{ $match: { $and: narrowed } }] : []),
      {
        $project: {
          event_id: 1,
          effective_at: 1,
          event_family: 1,
          event_type: 1,
          outcome: 1,
          length: 1,
          ...(withWords ? { words: 1 } : {}),
          weights,
        },
      },
    ];
  }

  #leadFilter({ space, fromMs, toMs }: Look, lead: Look['lead']): Document {
    const bounds = {
      ...(fromMs === undefined ? {} : { $gte: new Date(fromMs) }),
      ...(toMs === undefined ? {} : { $lt: new Date(toMs) }),
    };
    return {
      tenant_id: this.#tenantId,
      space,
      terms: termsFilter(lead),
      ...(fromMs === undefined && toMs === undefined ? {} : { effective_at: bounds }),
    };
  }

  /** Time of the last entry read, if there are more. */
  async #endOf(look: Look): Promise<Date | undefined> {
    const found = await this.#in.rows
      .aggregate<{ effective_at: Date }>(
        [
          { $match: this.#leadFilter(look, look.lead) },
          { $skip: look.limit - 1 },
          { $limit: 2 },
          { $project: { _id: 0, effective_at: 1 } },
        ],
        { hint: SEARCH_INDEX },
      )
      .toArray();
    return found.length === 2 ? found[0]?.effective_at : undefined;
  }
}

const termsFilter = (lead: Lead): string | RegExp => (lead.kind === 'term' ? lead.term : beginsWith(lead.prefix));

/** Prefixes hold only letters, digits and apostrophes, none of which has a meaning in an expression. */
const beginsWith = (prefix: string): RegExp => new RegExp(`^${prefix}`);
