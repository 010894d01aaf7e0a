import type { Collection, Db, Filter } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { dueAgain, dueAt, QUEUE_MEMBERS, type WorkRow } from '../../../shared/jobs/work-queue.js';
import type { Outbox } from '../../../shared/outbox/outbox.js';
import type { BundleEffect } from '../service/ports/bundle-effects.js';
import type {
  BundleQuery,
  BundleStore,
  BundleWrite,
  StoredBundle,
  TenantBundles,
} from '../service/ports/bundle-store.js';
import { BUNDLE_COLLECTION } from './bundle-model.js';

/** `_id` is the bundle_id; the queue's members and what waits to be performed stand beside. */
interface BundleDocument extends Omit<StoredBundle, 'bundle_id'>, WorkRow {
  readonly _id: string;
  readonly tenant_id: TenantId;
  readonly pending: readonly BundleEffect[];
}

const OWN_MEMBERS = new Set<string>([...QUEUE_MEMBERS, 'poisoned_at', 'pending', '_id']);

const bundleOf = (row: BundleDocument): StoredBundle => {
  const members = Object.entries(row).filter(([name]) => !OWN_MEMBERS.has(name));
  return { ...Object.fromEntries(members), bundle_id: row._id } as unknown as StoredBundle;
};

/** Bundles by tenant; every filter begins with the tenant. */
export function bundleStore(db: Db, outbox: Outbox<BundleEffect>): BundleStore {
  const rows = db.collection<BundleDocument>(BUNDLE_COLLECTION);
  return (tenantId) => new MongoTenantBundles(rows, outbox, tenantId);
}

class MongoTenantBundles implements TenantBundles {
  readonly #rows: Collection<BundleDocument>;
  readonly #outbox: Outbox<BundleEffect>;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<BundleDocument>, outbox: Outbox<BundleEffect>, tenantId: TenantId) {
    this.#rows = rows;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(bundleId: string): Promise<StoredBundle | null> {
    const found = await this.#rows.findOne(this.#one(bundleId));
    return found === null ? null : bundleOf(found);
  }

  async list(query: BundleQuery): Promise<readonly StoredBundle[]> {
    const page = keysetQuery('created_at', query);
    const equal = {
      status: query.status,
      bundle_type: query.bundle_type,
      'scope.member_id': query.member_id,
      'scope.matter_id': query.matter_id,
      'scope.incident_id': query.incident_id,
    };
    const filters = Object.entries(equal).flatMap(([name, value]) => (value === undefined ? [] : [{ [name]: value }]));
    const rows = await this.#rows
      .find({ $and: [{ tenant_id: this.#tenantId }, ...filters, page.filter] } as Filter<BundleDocument>)
      .sort(page.sort)
      .limit(page.fetch)
      .toArray();
    return rows.map(bundleOf);
  }

  async insert({ bundle: { bundle_id, ...rest }, change, pending }: BundleWrite): Promise<StoredBundle | null> {
    const due = dueAt(rest.created_at.getTime());
    try {
      await this.#rows.insertOne(
        { _id: bundle_id, ...rest, history: [change], pending, ...due },
        { writeConcern: DURABLE },
      );
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
    return { bundle_id, ...rest, history: [change] };
  }

  async again(
    { bundle: { bundle_id, ...rest }, change, pending }: BundleWrite,
    revision: number,
  ): Promise<StoredBundle | null> {
    const { set, unset } = dueAgain(rest.updated_at.getTime());
    const changed = await this.#rows.findOneAndUpdate(
      { ...this.#one(bundle_id), revision },
      {
        $set: { ...rest, ...set },
        $unset: Object.fromEntries(unset.map((name) => [name, ''])),
        $push: { history: change, pending: { $each: pending } },
      } as never,
      { returnDocument: 'after', writeConcern: DURABLE },
    );
    return changed === null ? null : bundleOf(changed as BundleDocument);
  }

  relay({ bundle, pending }: Parameters<TenantBundles['relay']>[0]): Promise<void> {
    return this.#outbox.relay(BUNDLE_COLLECTION, bundle.bundle_id, pending);
  }

  #one(bundleId: string): Filter<BundleDocument> {
    return { _id: bundleId, tenant_id: this.#tenantId };
  }
}
