import type { AnyBulkWriteOperation, Collection, Db, Document } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { declareCollection } from '../../../shared/records/collections.js';
import type { LinkRole } from './domain/linked-event.js';
import type { LinkPlace, LinkRow, LinkStore, TenantLinks } from './ports.js';

export const LINK_CURSOR_COLLECTION = 'event_link_cursors';

/** Events by their numbers; derived from the ledger and rebuilt by `npm run links:rebuild`. */
export const LINKS = declareCollection(
  'event_links',
  // Reads the newest of a number and role only: account numbers such as 1 have many events.
  [{ tenant_id: 1, keys: 1, role: 1, at: -1 }],
  [{ tenant_id: 1, event_id: 1 }],
  [{ tenant_id: 1, role: 1 }, { partialFilterExpression: { role: 'AUTHORIZATION_DECISION' } }],
  [{ tenant_id: 1, watched: 1, keys: 1 }, { partialFilterExpression: { watched: true } }],
  [{ due_at: 1 }, { partialFilterExpression: { watched: true } }],
);

/** Omits empty members: most rows wait for nothing. */
interface StoredLink
  extends Omit<LinkRow, 'source_system' | 'seq' | 'watched' | 'due_at' | 'opened' | 'clock' | 'replaces' | 'answers'>,
    Partial<Pick<LinkRow, 'opened' | 'replaces' | 'answers'>> {
  readonly _id: { readonly tenant_id: string; readonly source_system: string; readonly seq: number };
  readonly clock?: NonNullable<LinkRow['clock']>;
  readonly watched?: true;
  readonly due_at?: Date;
}

const rowOf = ({ _id, ...rest }: StoredLink): LinkRow => ({
  ...rest,
  source_system: _id.source_system,
  seq: _id.seq,
  replaces: rest.replaces ?? [],
  answers: rest.answers ?? [],
  clock: rest.clock ?? null,
  watched: rest.watched ?? false,
  due_at: rest.due_at ?? null,
  opened: rest.opened ?? [],
});

function storedOf(row: LinkRow): StoredLink {
  const { source_system, seq, replaces, answers, clock, watched, due_at, opened, ...rest } = row;
  return {
    ...rest,
    _id: { tenant_id: row.tenant_id, source_system, seq },
    ...(replaces.length > 0 && { replaces }),
    ...(answers.length > 0 && { answers }),
    ...(clock !== null && { clock }),
    ...(watched && { watched }),
    ...(due_at !== null && { due_at }),
    ...(opened.length > 0 && { opened }),
  };
}

/** Stores links. */
export function mongoLinkStore(db: Db): LinkStore {
  const rows = db.collection<StoredLink>(LINKS.name);
  return {
    forTenant: (tenantId) => new MongoTenantLinks(rows, tenantId),
    due: async (nowMs, limit) => {
      const over: Document = { watched: true, due_at: { $lte: new Date(nowMs) } };
      return (await rows.find(over).sort({ due_at: 1 }).limit(limit).toArray()).map(rowOf);
    },
  };
}

/** Links of one tenant; every filter begins with the tenant. */
class MongoTenantLinks implements TenantLinks {
  readonly #rows: Collection<StoredLink>;
  readonly #tenantId: string;

  constructor(rows: Collection<StoredLink>, tenantId: string) {
    this.#rows = rows;
    this.#tenantId = tenantId;
  }

  async put(rows: readonly LinkRow[]): Promise<void> {
    if (rows.length === 0) return;
    const documents = rows.map(storedOf);
    try {
      // Nearly all are new, and an insert costs two thirds of an upsert.
      await this.#rows.insertMany(documents, { ordered: false, writeConcern: DURABLE, forceServerObjectId: true });
      return;
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
    const operations = documents.map(
      ({ _id, ...replacement }): AnyBulkWriteOperation<StoredLink> => ({
        replaceOne: { filter: { _id, tenant_id: this.#tenantId }, replacement, upsert: true },
      }),
    );
    await this.#rows.bulkWrite(operations, { ordered: false, writeConcern: DURABLE });
  }

  async remove(places: readonly LinkPlace[]): Promise<void> {
    if (places.length === 0) return;
    const _id = { $in: places.map((place) => this.#id(place)) };
    await this.#rows.deleteMany({ _id, tenant_id: this.#tenantId }, { writeConcern: DURABLE });
  }

  async byEventId(eventId: string): Promise<LinkRow | null> {
    const found = await this.#rows.findOne({ tenant_id: this.#tenantId, event_id: eventId });
    return found && rowOf(found);
  }

  async byEventIds(eventIds: readonly string[]): Promise<LinkRow[]> {
    return eventIds.length === 0 ? [] : this.#find({ event_id: { $in: [...eventIds] } }, 0, eventIds.length + 1);
  }

  async naming(keys: readonly string[], limit: number): Promise<LinkRow[]> {
    return keys.length === 0 ? [] : this.#find({ keys: { $in: [...keys] } }, limit, limit);
  }

  async sharing(keys: readonly string[], roles: readonly LinkRole[], limit: number): Promise<LinkRow[]> {
    // One index scan each, which ends at its limit.
    const walks = keys.flatMap((key) =>
      roles.map((role) =>
        this.#rows.find({ tenant_id: this.#tenantId, keys: key, role }).sort({ at: -1 }).limit(limit).toArray(),
      ),
    );
    const found = (await Promise.all(walks)).flat();
    const rows = new Map(found.map((row) => [row.event_id, rowOf(row)]));
    return [...rows.values()].sort((a, b) => b.at.getTime() - a.at.getTime());
  }

  async claims(keys: readonly string[], limit: number): Promise<LinkRow[]> {
    return keys.length === 0 ? [] : this.#find({ keys: { $in: [...keys] }, role: 'CLAIM' }, limit, limit);
  }

  async waiting(keys: readonly string[], limit: number): Promise<LinkRow[]> {
    return keys.length === 0 ? [] : this.#find({ watched: true, keys: { $in: [...keys] } }, limit);
  }

  async hasDecisions(): Promise<boolean> {
    const role = 'AUTHORIZATION_DECISION';
    return (await this.#rows.findOne({ tenant_id: this.#tenantId, role }, { projection: { _id: 1 } })) !== null;
  }

  async wait(place: LinkPlace, { watched, due_at, opened }: Pick<LinkRow, 'watched' | 'due_at' | 'opened'>) {
    const given = { ...(watched && { watched }), ...(due_at !== null && { due_at }) };
    const taken = { ...(!watched && { watched: '' }), ...(due_at === null && { due_at: '' }) };
    const change: Document = {
      $set: { opened: [...opened], ...given },
      ...(Object.keys(taken).length > 0 && { $unset: taken }),
    };
    const filter = { _id: this.#id(place), tenant_id: this.#tenantId };
    await this.#rows.updateOne(filter, change, { writeConcern: DURABLE });
  }

  async clear(sourceSystem: string): Promise<void> {
    const id = (seq: number) => this.#id({ source_system: sourceSystem, seq });
    const _id = { $gte: id(0), $lte: id(Number.MAX_SAFE_INTEGER) };
    await this.#rows.deleteMany({ _id, tenant_id: this.#tenantId }, { writeConcern: DURABLE });
  }

  /** @param limit 0: no limit. */
  async #find(conditions: Document, limit: number, batchSize?: number): Promise<LinkRow[]> {
    const options = batchSize === undefined ? { limit } : { limit, batchSize };
    return (await this.#rows.find({ tenant_id: this.#tenantId, ...conditions }, options).toArray()).map(rowOf);
  }

  #id({ source_system, seq }: LinkPlace): StoredLink['_id'] {
    return { tenant_id: this.#tenantId, source_system, seq };
  }
}
