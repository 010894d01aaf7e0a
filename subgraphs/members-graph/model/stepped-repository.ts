import type { Collection, Db, Filter, Sort } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { MembersEffect } from '../service/ports/member-effects.js';
import type {
  SteppedListQuery,
  SteppedRecord,
  SteppedWrite,
  TenantStepped,
  Written,
} from '../service/ports/stepped-store.js';

/** `_id` is the record's id; its members stand beside. */
interface SteppedDocument {
  readonly _id: string;
  readonly tenant_id: TenantId;
  readonly pending: readonly MembersEffect[];
}

/** Records of one collection that move by steps; every filter begins with the tenant. */
export class MongoStepped<R extends SteppedRecord> implements TenantStepped<R> {
  readonly #rows: Collection<SteppedDocument>;
  readonly #outbox: EffectRelay;
  readonly #tenantId: TenantId;

  constructor(db: Db, outbox: EffectRelay, { collection, tenantId }: { collection: string; tenantId: TenantId }) {
    this.#rows = db.collection<SteppedDocument>(collection);
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(id: string): Promise<R | null> {
    const found = await this.#rows.findOne(this.#one(id));
    return found === null ? null : recordOf<R>(found as SteppedDocument);
  }

  /** One page, in order of a time that every record has. */
  async page(timeField: string, query: SteppedListQuery<string>, further: readonly object[]): Promise<readonly R[]> {
    const page = keysetQuery(timeField, query);
    const conditions = [
      { tenant_id: this.#tenantId },
      ...(query.member_ids === undefined ? [] : [{ member_id: { $in: [...query.member_ids] } }]),
      ...(query.status === undefined ? [] : [{ status: query.status }]),
      ...further,
      page.filter,
    ];
    const rows = await this.#rows
      .find({ $and: conditions } as Filter<SteppedDocument>)
      .sort(page.sort as Sort)
      .limit(page.fetch)
      .toArray();
    return rows.map((row) => recordOf<R>(row as SteppedDocument));
  }

  async all(filter: object): Promise<readonly R[]> {
    const rows = await this.#rows.find({ tenant_id: this.#tenantId, ...filter } as Filter<SteppedDocument>).toArray();
    return rows.map((row) => recordOf<R>(row as SteppedDocument));
  }

  async insert({ record: { id, ...rest }, pending }: SteppedWrite<R>): Promise<Written> {
    try {
      await this.#rows.insertOne({ _id: id, ...rest, pending } as never, { writeConcern: DURABLE });
      return 'written';
    } catch (error) {
      if (duplicateKeyOf(error)) return 'taken';
      throw error;
    }
  }

  async replace({ record: { id, ...rest }, pending }: SteppedWrite<R>, revision: number): Promise<Written | 'moved'> {
    try {
      const { matchedCount } = await this.#rows.updateOne(
        { ...this.#one(id), revision } as Filter<SteppedDocument>,
        { $set: rest, $push: { pending: { $each: pending } } } as never,
        { writeConcern: DURABLE },
      );
      return matchedCount === 0 ? 'moved' : 'written';
    } catch (error) {
      if (duplicateKeyOf(error)) return 'taken';
      throw error;
    }
  }

  relay({ record, pending }: SteppedWrite<R>): Promise<void> {
    return this.#outbox.relay(this.#rows.collectionName, record.id, pending);
  }

  #one(id: string): Filter<SteppedDocument> {
    return { _id: id, tenant_id: this.#tenantId };
  }
}

function recordOf<R extends SteppedRecord>({ _id, pending: _, ...rest }: SteppedDocument): R {
  return { ...rest, id: _id } as unknown as R;
}
