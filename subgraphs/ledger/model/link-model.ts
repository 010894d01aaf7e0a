import type { Collection, Db, Filter } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { LinkRole } from '../domain/linked-event.js';
import type { LinkPlace, LinkRow, LinkStore, TenantLinks } from '../service/ports/link-store.js';

export const LINK_COLLECTION = 'event_links';
export const LINK_CURSOR_COLLECTION = 'event_link_cursors';

/** Events by the numbers that they name; made from the ledger, and made again by `npm run links:rebuild`. */
export const linkSchema = new Schema(
  {
    _id: { tenant_id: String, source_system: String, seq: Number },
    tenant_id: { type: String, required: true },
    event_id: { type: String, required: true },
    event_type: String,
    role: String,
    at: Date,
    outcome: String,
    member: String,
    keys: [String],
    replaces: [String],
    answers: [String],
    denied_for: [String],
    clock: Schema.Types.Mixed,
    watched: Boolean,
    due_at: Date,
    opened: [String],
  },
  { collection: LINK_COLLECTION, versionKey: false, autoIndex: false },
);
// The newest of a number and a role without reading the rest: account numbers such as 1 have many events.
linkSchema.index({ tenant_id: 1, keys: 1, role: 1, at: -1 });
linkSchema.index({ tenant_id: 1, event_id: 1 });
linkSchema.index({ tenant_id: 1, role: 1 }, { partialFilterExpression: { role: 'AUTHORIZATION_DECISION' } });
linkSchema.index({ tenant_id: 1, watched: 1, keys: 1 }, { partialFilterExpression: { watched: true } });
linkSchema.index({ due_at: 1 }, { partialFilterExpression: { watched: true } });

/** Members that say nothing are left out: most rows wait for nothing. */
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

/** Links over the driver's collection. */
export function mongoLinkStore(db: Db): LinkStore {
  const rows = db.collection<StoredLink>(LINK_COLLECTION);
  return {
    forTenant: (tenantId) => new MongoTenantLinks(rows, tenantId),
    due: async (nowMs, limit) => {
      const over = { watched: true, due_at: { $lte: new Date(nowMs) } } as Filter<StoredLink>;
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
      // Nearly always they are new, and an insert costs two thirds of an upsert.
      await this.#rows.insertMany(documents, { ordered: false, writeConcern: DURABLE, forceServerObjectId: true });
      return;
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
    const operations = documents.map(({ _id, ...replacement }) => ({
      replaceOne: { filter: { _id, tenant_id: this.#tenantId }, replacement, upsert: true },
    }));
    await this.#rows.bulkWrite(operations as never, { ordered: false, writeConcern: DURABLE });
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
    if (eventIds.length === 0) return [];
    const filter = { tenant_id: this.#tenantId, event_id: { $in: [...eventIds] } } as Filter<StoredLink>;
    return (
      await this.#rows
        .find(filter)
        .batchSize(eventIds.length + 1)
        .toArray()
    ).map(rowOf);
  }

  async naming(keys: readonly string[], limit: number): Promise<LinkRow[]> {
    if (keys.length === 0) return [];
    const filter = { tenant_id: this.#tenantId, keys: { $in: [...keys] } } as Filter<StoredLink>;
    return (await this.#rows.find(filter).limit(limit).batchSize(limit).toArray()).map(rowOf);
  }

  async sharing(keys: readonly string[], roles: readonly LinkRole[], limit: number): Promise<LinkRow[]> {
    // One walk of the index each, which ends at its limit.
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
    if (keys.length === 0) return [];
    const filter = { tenant_id: this.#tenantId, keys: { $in: [...keys] }, role: 'CLAIM' } as Filter<StoredLink>;
    return (await this.#rows.find(filter).limit(limit).batchSize(limit).toArray()).map(rowOf);
  }

  async waiting(keys: readonly string[], limit: number): Promise<LinkRow[]> {
    if (keys.length === 0) return [];
    const filter = { tenant_id: this.#tenantId, watched: true, keys: { $in: [...keys] } } as Filter<StoredLink>;
    return (await this.#rows.find(filter).limit(limit).toArray()).map(rowOf);
  }

  async hasDecisions(): Promise<boolean> {
    const role = 'AUTHORIZATION_DECISION';
    return (await this.#rows.findOne({ tenant_id: this.#tenantId, role }, { projection: { _id: 1 } })) !== null;
  }

  async wait(place: LinkPlace, { watched, due_at, opened }: Pick<LinkRow, 'watched' | 'due_at' | 'opened'>) {
    const given = { ...(watched && { watched }), ...(due_at !== null && { due_at }) };
    const taken = { ...(!watched && { watched: '' }), ...(due_at === null && { due_at: '' }) };
    await this.#rows.updateOne(
      { _id: this.#id(place), tenant_id: this.#tenantId },
      {
        $set: { opened: [...opened], ...given },
        ...(Object.keys(taken).length > 0 && { $unset: taken }),
      } as never,
      { writeConcern: DURABLE },
    );
  }

  async clear(sourceSystem: string): Promise<void> {
    const id = (seq: number) => this.#id({ source_system: sourceSystem, seq });
    const _id = { $gte: id(0), $lte: id(Number.MAX_SAFE_INTEGER) };
    await this.#rows.deleteMany({ _id, tenant_id: this.#tenantId }, { writeConcern: DURABLE });
  }

  #id({ source_system, seq }: LinkPlace): StoredLink['_id'] {
    return { tenant_id: this.#tenantId, source_system, seq };
  }
}
