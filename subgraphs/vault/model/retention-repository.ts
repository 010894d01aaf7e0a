import type { Collection, Db } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type {
  DisposalStatus,
  RulesStore,
  StoredDisposal,
  SweepStore,
  TenantDisposalRows,
} from '../service/ports/retention-store.js';
import type { VaultEffect } from '../service/ports/vault-effects.js';
import {
  DISPOSAL_COLLECTION,
  type DisposalRow,
  RULES_COLLECTION,
  type RulesRow,
  SWEEP_COLLECTION,
  type SweepRow,
} from './retention-model.js';

const durable = { writeConcern: DURABLE } as const;

/** One row of rules a tenant. */
export function mongoRulesStore(db: Db, outbox: EffectRelay): RulesStore {
  const rows = db.collection<RulesRow>(RULES_COLLECTION);
  return {
    read: async (tenantId) => {
      const row = await rows.findOne({ _id: tenantId });
      if (row === null) return null;
      const { _id: _, pending: __, ...rules } = row;
      return rules;
    },
    write: async (rules, revision, pending) => {
      const change = { $set: rules, $push: { pending: { $each: [...pending] } } } as never;
      try {
        // The first ones are inserted; of two, one finds the other's there.
        const filter = { _id: rules.tenant_id as string, revision };
        const { matchedCount, upsertedCount } = await rows.updateOne(filter, change, {
          upsert: revision === 0,
          ...durable,
        });
        return matchedCount + upsertedCount === 1;
      } catch (error) {
        if (!duplicateKeyOf(error)) throw error;
        return false;
      }
    },
    relay: (tenantId, pending) => outbox.relay(RULES_COLLECTION, tenantId, pending),
  };
}

export function mongoDisposalRows(db: Db, outbox: EffectRelay): (tenantId: TenantId) => TenantDisposalRows {
  const rows = db.collection<DisposalRow>(DISPOSAL_COLLECTION);
  return (tenantId) => new MongoDisposalRows(rows, outbox, tenantId);
}

const disposalOf = ({ _id, pending: _, ...rest }: DisposalRow): StoredDisposal => ({ ...rest, disposal_id: _id });

/** Disposals of one tenant; every filter begins with the tenant. */
class MongoDisposalRows implements TenantDisposalRows {
  readonly #rows: Collection<DisposalRow>;
  readonly #outbox: EffectRelay;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<DisposalRow>, outbox: EffectRelay, tenantId: TenantId) {
    this.#rows = rows;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async insert({ disposal_id, ...rest }: StoredDisposal): Promise<void> {
    await this.#rows.insertOne({ _id: disposal_id, ...rest, pending: [] }, durable);
  }

  async get(disposalId: string): Promise<StoredDisposal | null> {
    const row = await this.#rows.findOne(this.#one(disposalId));
    return row === null ? null : disposalOf(row);
  }

  async abandon(disposalId: string): Promise<void> {
    await this.#rows.deleteOne({ ...this.#one(disposalId), status: 'PREPARED' });
  }

  markDisposed(disposalId: string, at: Date, pending: readonly VaultEffect[]): Promise<boolean> {
    return this.#mark(disposalId, 'PREPARED', { status: 'DISPOSED', disposed_at: at }, pending);
  }

  markGone(disposalId: string, at: Date, pending: readonly VaultEffect[]): Promise<boolean> {
    const forgotten = { 'events.$[].worm_sha256': null, 'events.$[].raw_sha256': null };
    return this.#mark(disposalId, 'DISPOSED', { status: 'GONE', gone_at: at, ...forgotten }, pending);
  }

  relay(disposalId: string, pending: readonly VaultEffect[]): Promise<void> {
    return this.#outbox.relay(DISPOSAL_COLLECTION, disposalId, pending);
  }

  async pending(after: string | null, limit: number): Promise<readonly StoredDisposal[]> {
    const beyond = after === null ? {} : { _id: { $gt: after } };
    const filter = { tenant_id: this.#tenantId, status: 'DISPOSED' as const, ...beyond };
    return (await this.#rows.find(filter).sort({ tenant_id: 1, status: 1, _id: 1 }).limit(limit).toArray()).map(
      disposalOf,
    );
  }

  async countOf(sweepId: string): Promise<{ events: number; documents: number }> {
    const filter = { tenant_id: this.#tenantId, sweep_id: sweepId, status: { $ne: 'PREPARED' as const } };
    const projection = { 'events.event_id': 1, 'documents.document_id': 1 };
    const counts = { events: 0, documents: 0 };
    for await (const { events, documents } of this.#rows.find(filter, { projection })) {
      counts.events += events.length;
      counts.documents += documents.length;
    }
    return counts;
  }

  async dropStale(before: Date, permitted: readonly string[]): Promise<number> {
    const filter = {
      tenant_id: this.#tenantId,
      status: 'PREPARED' as const,
      at: { $lt: before },
      _id: { $nin: [...permitted] },
    };
    return (await this.#rows.deleteMany(filter)).deletedCount;
  }

  async #mark(
    disposalId: string,
    from: DisposalStatus,
    change: Readonly<Record<string, unknown>>,
    pending: readonly VaultEffect[],
  ): Promise<boolean> {
    const update = { $set: change, $push: { pending: { $each: [...pending] } } } as never;
    const { matchedCount } = await this.#rows.updateOne({ ...this.#one(disposalId), status: from }, update, durable);
    return matchedCount === 1;
  }

  #one(disposalId: string): { readonly _id: string; readonly tenant_id: TenantId } {
    return { _id: disposalId, tenant_id: this.#tenantId };
  }
}

export function mongoSweepStore(db: Db, outbox: EffectRelay): SweepStore {
  const rows = db.collection<SweepRow>(SWEEP_COLLECTION);
  const find: SweepStore['find'] = async (tenantId, sweepId) => {
    const row = await rows.findOne({ _id: sweepId, tenant_id: tenantId });
    if (row === null) return null;
    const { _id, pending: _, ...rest } = row;
    return { ...rest, sweep_id: _id };
  };
  return {
    find,
    lastBy: async (tenant_id, by) => {
      const filter = { tenant_id, by, dry_run: false, complete: true };
      return (await rows.findOne(filter, { sort: { tenant_id: 1, at: -1 }, projection: { at: 1 } }))?.at ?? null;
    },
    save: async (sweep, pending) => {
      const { sweep_id, ...rest } = sweep;
      try {
        await rows.insertOne({ _id: sweep_id, ...rest, pending }, durable);
      } catch (error) {
        if (!duplicateKeyOf(error)) throw error;
        return (await find(sweep.tenant_id, sweep_id)) ?? sweep;
      }
      await outbox.relay(SWEEP_COLLECTION, sweep_id, pending);
      return sweep;
    },
  };
}
