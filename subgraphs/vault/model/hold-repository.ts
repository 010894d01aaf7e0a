import type { Collection, Db, Filter } from 'mongodb';
import type { HeldKind } from '../../../shared/contracts/holds.js';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import {
  type HoldCounts,
  type HoldListing,
  type HoldQuery,
  type HoldStore,
  type HoldWrite,
  NOTHING_LISTED,
  type StoredHold,
  type TenantHolds,
  type Tombstone,
  type TombstoneQuery,
} from '../service/ports/hold-store.js';
import { HOLD_COLLECTION, type HoldRow, TOMBSTONE_COLLECTION, type TombstoneRow } from './hold-model.js';

/** More holds in force at once than a person could have placed: the gate reads them all. */
const MOST_ACTIVE = 10_000;
const BATCH = 500;

const holdOf = ({ _id, pending: _, ...rest }: HoldRow): StoredHold => ({ ...rest, hold_id: _id });

interface Collections {
  readonly holds: Collection<HoldRow>;
  readonly tombstones: Collection<TombstoneRow>;
}

/** Legal holds and what they cover, by tenant; every filter begins with the tenant. */
export function mongoHoldStore(db: Db, outbox: EffectRelay): HoldStore {
  const collections: Collections = {
    holds: db.collection<HoldRow>(HOLD_COLLECTION),
    tombstones: db.collection<TombstoneRow>(TOMBSTONE_COLLECTION),
  };
  return {
    forTenant: (tenantId) => new MongoTenantHolds(collections, outbox, tenantId),
    tenantIds: async () => (await collections.holds.distinct('tenant_id', { status: 'ACTIVE' })) as TenantId[],
  };
}

class MongoTenantHolds implements TenantHolds {
  readonly #in: Collections;
  readonly #outbox: EffectRelay;
  readonly #tenantId: TenantId;

  constructor(collections: Collections, outbox: EffectRelay, tenantId: TenantId) {
    this.#in = collections;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(holdId: string): Promise<StoredHold | null> {
    const found = await this.#in.holds.findOne(this.#one(holdId));
    return found === null ? null : holdOf(found);
  }

  async list(query: HoldQuery): Promise<readonly StoredHold[]> {
    const page = keysetQuery('created_at', query);
    const equal = (['status', 'matter_id', 'name'] as const).flatMap((name) =>
      query[name] === undefined ? [] : [{ [name]: query[name] }],
    );
    const named = query.member_id === undefined ? [] : [{ 'scope.member_ids': query.member_id }];
    const filter = { $and: [{ tenant_id: this.#tenantId }, ...equal, ...named, page.filter] } as Filter<HoldRow>;
    return (await this.#in.holds.find(filter).sort(page.sort).limit(page.fetch).toArray()).map(holdOf);
  }

  async among(holdIds: readonly string[]): Promise<readonly StoredHold[]> {
    const filter = { tenant_id: this.#tenantId, _id: { $in: [...holdIds] } };
    return (await this.#in.holds.find(filter).toArray()).map(holdOf);
  }

  async active(): Promise<readonly StoredHold[]> {
    const filter = { tenant_id: this.#tenantId, status: 'ACTIVE' as const };
    const options = { sort: { created_at: 1, _id: 1 }, projection: { history: 0, pending: 0 } } as const;
    const rows = await this.#in.holds
      .find(filter, options)
      .limit(MOST_ACTIVE + 1)
      .toArray();
    if (rows.length > MOST_ACTIVE) throw new Error('more legal holds are in force than the gate can read');
    return rows.map((row) => holdOf({ ...row, history: [], pending: [] }));
  }

  async insert({ hold: { hold_id, ...rest }, change, pending }: HoldWrite): Promise<StoredHold | null> {
    const row: HoldRow = { _id: hold_id, ...rest, listing: NOTHING_LISTED, history: [change], pending };
    try {
      await this.#in.holds.insertOne(row, { writeConcern: DURABLE });
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
    return holdOf(row);
  }

  async replace({ hold: { hold_id, ...rest }, change, pending }: HoldWrite, revision: number) {
    const again = change.action === 'update' ? { listing: NOTHING_LISTED } : {};
    const changed = await this.#in.holds.findOneAndUpdate(
      { ...this.#one(hold_id), revision },
      { $set: { ...rest, ...again }, $push: { history: change, pending: { $each: [...pending] } } } as never,
      { returnDocument: 'after', writeConcern: DURABLE },
    );
    return changed === null ? null : holdOf(changed);
  }

  relay({ hold, pending }: HoldWrite): Promise<void> {
    return this.#outbox.relay(HOLD_COLLECTION, hold.hold_id, pending);
  }

  async markSettled(holdId: string, revision: number): Promise<void> {
    const change = { $set: { settled: true } };
    await this.#in.holds.updateOne({ ...this.#one(holdId), revision }, change, { writeConcern: DURABLE });
  }

  async unlist(holdId: string): Promise<void> {
    await this.#in.tombstones.deleteMany({ tenant_id: this.#tenantId, hold_id: holdId, refused: 0 });
  }

  async saveListing(holdId: string, revision: number, listing: HoldListing): Promise<void> {
    await this.#in.holds.updateOne({ ...this.#one(holdId), revision }, { $set: { listing } });
  }

  async bury(holdId: string, subjects: readonly { readonly kind: HeldKind; readonly id: string }[], at: Date) {
    for (let from = 0; from < subjects.length; from += BATCH) {
      const rows = subjects.slice(from, from + BATCH).map(({ kind, id }) => this.#tombstone(holdId, kind, id, at));
      await this.#in.tombstones.insertMany(rows, { ordered: false }).catch((error: unknown) => {
        // Listed before.
        if (!duplicateKeyOf(error)) throw error;
      });
    }
  }

  async refuse(
    refused: readonly { readonly kind: HeldKind; readonly id: string; readonly hold_ids: readonly string[] }[],
    at: Date,
  ): Promise<void> {
    const operations = refused.flatMap(({ kind, id, hold_ids }) =>
      hold_ids.map((holdId) => {
        const { _id, refused: _, refused_at: __, ...fresh } = this.#tombstone(holdId, kind, id, at);
        const update = { $inc: { refused: 1 }, $set: { refused_at: at }, $setOnInsert: fresh };
        return { updateOne: { filter: { _id }, update, upsert: true } };
      }),
    );
    if (operations.length > 0) await this.#in.tombstones.bulkWrite(operations, { ordered: false });
  }

  async tombstones(holdId: string, query: TombstoneQuery): Promise<readonly Tombstone[]> {
    const page = keysetQuery('held_at', query);
    const own = {
      tenant_id: this.#tenantId,
      hold_id: holdId,
      ...(query.kind === undefined ? {} : { kind: query.kind }),
    };
    const filter = { $and: [own, page.filter] } as Filter<TombstoneRow>;
    const rows = await this.#in.tombstones.find(filter).sort(page.sort).limit(page.fetch).toArray();
    return rows.map(({ _id: _, tenant_id: __, ...rest }) => rest);
  }

  async counts(holdIds: readonly string[]): Promise<ReadonlyMap<string, HoldCounts>> {
    const sums = await this.#in.tombstones
      .aggregate<{ _id: { hold: string; kind: HeldKind }; count: number; refused: number }>([
        { $match: { tenant_id: this.#tenantId, hold_id: { $in: [...holdIds] } } },
        { $group: { _id: { hold: '$hold_id', kind: '$kind' }, count: { $sum: 1 }, refused: { $sum: '$refused' } } },
      ])
      .toArray();
    return new Map(
      holdIds.map((holdId) => {
        const own = sums.filter(({ _id }) => _id.hold === holdId);
        const countOf = (kind: HeldKind): number => own.find(({ _id }) => _id.kind === kind)?.count ?? 0;
        const refused = own.reduce((sum, row) => sum + row.refused, 0);
        return [holdId, { events: countOf('EVENT'), documents: countOf('DOCUMENT'), refused }];
      }),
    );
  }

  #tombstone(hold_id: string, kind: HeldKind, id: string, held_at: Date): TombstoneRow {
    const _id = `${hold_id}/${kind}/${id}`;
    return { _id, tenant_id: this.#tenantId, hold_id, kind, id, held_at, refused: 0, refused_at: null };
  }

  #one(holdId: string): { readonly _id: string; readonly tenant_id: TenantId } {
    return { _id: holdId, tenant_id: this.#tenantId };
  }
}
