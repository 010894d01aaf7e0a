import type { Collection, Db, Filter } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type {
  MatterQuery,
  MatterStore,
  MatterWrite,
  StoredMatter,
  TenantMatters,
} from '../service/ports/matter-store.js';
import { MATTER_COLLECTION } from './matter-model.js';

/** `_id` is the matter_id. */
interface MatterDocument extends Omit<StoredMatter, 'matter_id'> {
  readonly _id: string;
  readonly pending: readonly PendingEffect[];
}

const matterOf = ({ _id, pending: _, ...rest }: MatterDocument): StoredMatter => ({ ...rest, matter_id: _id });

/** Legal matters by tenant; every filter begins with the tenant. */
export function matterStore(db: Db, outbox: EffectRelay): MatterStore {
  const rows = db.collection<MatterDocument>(MATTER_COLLECTION);
  return (tenantId) => new MongoTenantMatters(rows, outbox, tenantId);
}

class MongoTenantMatters implements TenantMatters {
  readonly #rows: Collection<MatterDocument>;
  readonly #outbox: EffectRelay;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<MatterDocument>, outbox: EffectRelay, tenantId: TenantId) {
    this.#rows = rows;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(matterId: string): Promise<StoredMatter | null> {
    const found = await this.#rows.findOne(this.#one(matterId));
    return found === null ? null : matterOf(found as MatterDocument);
  }

  async list(query: MatterQuery): Promise<readonly StoredMatter[]> {
    const page = keysetQuery('created_at', query);
    const equal = { status: query.status, kind: query.kind, name: query.name, member_ids: query.member_id };
    const filters = Object.entries(equal).flatMap(([name, value]) => (value === undefined ? [] : [{ [name]: value }]));
    const rows = await this.#rows
      .find({ $and: [{ tenant_id: this.#tenantId }, ...filters, page.filter] } as Filter<MatterDocument>)
      .sort(page.sort)
      .limit(page.fetch)
      .toArray();
    return rows.map((row) => matterOf(row as MatterDocument));
  }

  async insert({ matter: { matter_id, ...rest }, change, pending }: MatterWrite): Promise<StoredMatter | null> {
    try {
      await this.#rows.insertOne({ _id: matter_id, ...rest, history: [change], pending }, { writeConcern: DURABLE });
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
    return { matter_id, ...rest, history: [change] };
  }

  async replace(
    { matter: { matter_id, ...rest }, change, pending }: MatterWrite,
    revision: number,
  ): Promise<StoredMatter | null> {
    const changed = await this.#rows.findOneAndUpdate(
      { ...this.#one(matter_id), revision },
      { $set: rest, $push: { history: change, pending: { $each: pending } } } as never,
      { returnDocument: 'after', writeConcern: DURABLE },
    );
    return changed === null ? null : matterOf(changed as MatterDocument);
  }

  relay({ matter, pending }: MatterWrite): Promise<void> {
    return this.#outbox.relay(MATTER_COLLECTION, matter.matter_id, pending);
  }

  #one(matterId: string): Filter<MatterDocument> {
    return { _id: matterId, tenant_id: this.#tenantId };
  }
}
