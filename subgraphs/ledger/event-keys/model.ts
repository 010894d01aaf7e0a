import type { Collection, Db, Document } from 'mongodb';
import type { EventKey } from '../../../shared/event-keys/event-keys.js';
import type { LedgerRow } from '../append/domain/index.js';
import { LEDGER_COLLECTION, timeFilter } from '../append/index.js';
import { spaceOf } from './domain/index.js';
import type { ChainQuery, CountQuery, EventKeyStore, KeyedPlace, KeyedQuery, TenantEventKeys } from './ports.js';

/** The rows of the search index hold the keys of events; the search writes them. */
export const EVENT_SEARCH_COLLECTION = 'event_search';
/** One entry per key. Within a key the events are in order of time. */
export const EVENT_KEYS_INDEX = { tenant_id: 1, space: 1, keys: 1, effective_at: -1, event_id: -1 } as const;

type Row = KeyedPlace & { readonly tenant_id: string; readonly space: string };

const PLACE = {
  event_id: 1,
  effective_at: 1,
  event_type: 1,
  keys: 1,
  charge_cents: 1,
  paid_cents: 1,
} as const;
const LAST_SEQ = Number.MAX_SAFE_INTEGER;

export function mongoEventKeys(db: Db): EventKeyStore {
  const rows = db.collection<Row>(EVENT_SEARCH_COLLECTION);
  const ledger = db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true });
  return (tenantId) => new MongoEventKeys(rows, ledger, tenantId);
}

/** The keys of one tenant; every filter starts with the tenant. */
class MongoEventKeys implements TenantEventKeys {
  readonly #rows: Collection<Row>;
  readonly #ledger: Collection<LedgerRow>;
  readonly #tenantId: string;

  constructor(rows: Collection<Row>, ledger: Collection<LedgerRow>, tenantId: string) {
    this.#rows = rows;
    this.#ledger = ledger;
    this.#tenantId = tenantId;
  }

  find(query: KeyedQuery): Promise<KeyedPlace[]> {
    const { space, event_type, source_system, ascending, limit } = query;
    const [lead, ...others] = query.keys;
    const filter: Document = {
      $and: [
        { tenant_id: this.#tenantId, space, keys: lead },
        ...others.map((keys) => ({ keys })),
        ...(event_type === undefined ? [] : [{ event_type: event_type.toLowerCase() }]),
        ...(source_system === undefined ? [] : [{ '_id.source_system': source_system }]),
        timeFilter(query, 'effective_at'),
      ],
    };
    const direction = ascending ? 1 : -1;
    return this.#rows
      .find(filter, { projection: PLACE, hint: EVENT_KEYS_INDEX })
      .sort({ effective_at: direction, event_id: direction })
      .limit(limit)
      .batchSize(limit + 1)
      .toArray();
  }

  ofSource(source_system: string, { afterSeq, limit, ...span }: ChainQuery): Promise<KeyedPlace[]> {
    const id = (seq: number) => ({ tenant_id: this.#tenantId, source_system, seq });
    const filter = {
      _id: { $gt: id(afterSeq), $lte: id(LAST_SEQ) },
      ...timeFilter({ ...span, ascending: true }, 'effective_at'),
    };
    return this.#rows
      .find(filter, { projection: PLACE, hint: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(limit)
      .batchSize(limit + 1)
      .toArray();
  }

  count(key: EventKey, { limit, ...span }: CountQuery): Promise<number> {
    const times = timeFilter({ ...span, ascending: true }, 'effective_at');
    const filter = { tenant_id: this.#tenantId, space: '', keys: key, ...times };
    return this.#rows.countDocuments(filter, { limit, hint: EVENT_KEYS_INDEX });
  }

  withAny(any: readonly EventKey[], key: EventKey, limit: number): Promise<KeyedPlace[]> {
    const filter: Document = {
      $and: [{ tenant_id: this.#tenantId, space: '', keys: { $in: [...any] } }, { keys: key }],
    };
    return this.#rows
      .find(filter, { projection: PLACE, hint: EVENT_KEYS_INDEX })
      .limit(limit)
      .batchSize(limit + 1)
      .toArray();
  }

  async rows(places: readonly KeyedPlace[]): Promise<LedgerRow[]> {
    const own = places.filter(({ _id }) => _id.tenant_id === this.#tenantId);
    const found = await this.#ledger
      .find({ _id: { $in: own.map(({ _id }) => _id) } })
      .batchSize(own.length + 1)
      .toArray();
    const byId = new Map(found.map((row) => [row.event_id, row]));
    return own.flatMap(({ event_id }) => byId.get(event_id) ?? []);
  }

  async rowsOf(eventIds: readonly string[]): Promise<LedgerRow[]> {
    const filter = { tenant_id: this.#tenantId, event_id: { $in: [...eventIds] } };
    const found = await this.#ledger
      .find(filter)
      .batchSize(eventIds.length + 1)
      .toArray();
    return found.filter(({ source_system }) => spaceOf(source_system) === '');
  }
}
