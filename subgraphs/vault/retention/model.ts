import type { Db, Document } from 'mongodb';
import { DURABLE } from '../../../shared/db/connection-options.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { FactPlace } from '../../../shared/facts/fact.js';
import type { StateRows } from '../../../shared/facts/record-states.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type EffectRelay, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { rowStates, STATES_INDEX } from '../../../shared/records/check-rows.js';
import { declareCollection } from '../../../shared/records/collections.js';
import type { VaultEffect } from '../documents/index.js';
import type {
  GateState,
  GateStore,
  RulesRows,
  StoredDisposal,
  StoredSweep,
  SweepStore,
  TenantDisposalRows,
} from './ports.js';

export const RULES = declareCollection('retention_policies', PENDING_INDEX);

export const DISPOSALS = declareCollection(
  'disposals',
  [{ tenant_id: 1, status: 1, _id: 1 }],
  [{ tenant_id: 1, sweep_id: 1 }],
  STATES_INDEX,
  PENDING_INDEX,
);

export const SWEEPS = declareCollection('retention_sweeps', [{ tenant_id: 1, at: -1 }], PENDING_INDEX);

export const GATES = declareCollection('deletion_gates', [
  { 'permits.0': 1 },
  { partialFilterExpression: { 'permits.0': { $exists: true } } },
]);

interface Carrier {
  readonly _id: string;
  readonly pending: readonly VaultEffect[];
}

const durable = { writeConcern: DURABLE } as const;

/** Ignores that a row with this identifier exists. */
const unlessTaken = (error: unknown): void => {
  if (!duplicateKeyOf(error)) throw error;
};

/** One row of rules per tenant; `_id` is the tenant. */
export function mongoRulesRows(db: Db): RulesRows {
  const rows = db.collection<{ readonly _id: string; readonly fact?: FactPlace } & Document>(RULES.name);
  return {
    read: (tenantId) => rows.findOne({ _id: tenantId }, { projection: { _id: 0 } }),
    put: async (rules, fact) => {
      const filter = { _id: rules.tenant_id, 'fact.seq': { $lt: fact.seq } };
      // The stored fact is the same or later: the filter missed it, and the insert collides.
      await rows.updateOne(filter, { $set: { ...rules, fact } }, { upsert: true, ...durable }).catch(unlessTaken);
    },
    adopt: async (tenantId, fact) => {
      await rows.updateOne({ _id: tenantId, fact: { $exists: false } }, { $set: { fact } }, durable);
    },
  };
}

/** `_id` is the disposal_id. */
type DisposalRow = Omit<StoredDisposal, 'disposal_id'> & Carrier;

const disposalOf = ({ _id, pending: _, ...rest }: DisposalRow): StoredDisposal => ({ ...rest, disposal_id: _id });

/** The orders whose facts verification compares: all that have left PREPARED. */
export const orderStates = (db: Db, stateOf: (order: StoredDisposal) => JsonObject): StateRows =>
  rowStates<DisposalRow>({
    db,
    collection: DISPOSALS.name,
    where: { status: { $ne: 'PREPARED' } },
    stateOf: (row) => stateOf(disposalOf(row)),
  });

const NO_COPIES = { 'events.$[].worm_sha256': null, 'events.$[].raw_sha256': null };

/** Disposals of one tenant; every filter names the tenant. */
export function mongoDisposalRows(db: Db, outbox: EffectRelay): (tenantId: TenantId) => TenantDisposalRows {
  const rows = db.collection<DisposalRow>(DISPOSALS.name);
  return (tenant_id) => ({
    insert: async ({ disposal_id, ...rest }) => {
      await rows.insertOne({ _id: disposal_id, ...rest, pending: [] }, durable);
    },
    get: async (disposalId) => {
      const row = await rows.findOne({ _id: disposalId, tenant_id });
      return row && disposalOf(row);
    },
    decide: async (disposalId, decided) => {
      await rows.updateOne({ _id: disposalId, tenant_id, status: 'PREPARED' }, { $set: decided }, durable);
    },
    abandon: async (disposalId) => {
      await rows.deleteOne({ _id: disposalId, tenant_id, status: 'PREPARED' });
    },
    markAs: async (status, disposalId, at, pending) => {
      const [from, change] =
        status === 'DISPOSED'
          ? (['PREPARED', { disposed_at: at }] as const)
          : (['DISPOSED', { gone_at: at, ...NO_COPIES }] as const);
      const update = { $set: { status, ...change }, $push: { pending: { $each: [...pending] } } };
      const { matchedCount } = await rows.updateOne({ _id: disposalId, tenant_id, status: from }, update, durable);
      if (matchedCount === 0) return false;
      await outbox.relay(DISPOSALS.name, disposalId, pending);
      return true;
    },
    pending: async (after, limit) => {
      const filter = { tenant_id, status: 'DISPOSED' as const, ...(after === null ? {} : { _id: { $gt: after } }) };
      const found = await rows.find(filter).sort({ tenant_id: 1, status: 1, _id: 1 }).limit(limit).toArray();
      return found.map(disposalOf);
    },
    ofSweep: async (sweep_id) => {
      const done = { $in: ['DISPOSED', 'GONE'] as const };
      return (await rows.find({ tenant_id, sweep_id, status: done }).toArray()).map(disposalOf);
    },
    dropStale: async (before, permitted) => {
      const stale = { status: 'PREPARED' as const, at: { $lt: before }, _id: { $nin: [...permitted] } };
      return (await rows.deleteMany({ tenant_id, ...stale })).deletedCount;
    },
  });
}

export function mongoSweepStore(db: Db, outbox: EffectRelay): SweepStore {
  /** `_id` is the sweep_id. */
  const rows = db.collection<Omit<StoredSweep, 'sweep_id'> & Carrier>(SWEEPS.name);
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
      const inserted = await rows.insertOne({ _id: sweep_id, ...rest, pending }, durable).catch(unlessTaken);
      if (!inserted) return (await find(sweep.tenant_id, sweep_id)) ?? sweep;
      await outbox.relay(SWEEPS.name, sweep_id, pending);
      return sweep;
    },
  };
}

/** `_id` is the tenant. */
interface GateRow {
  readonly _id: TenantId;
  readonly epoch: number;
  /** Absent in older rows, meaning 0. */
  readonly passes?: number | null;
  readonly permits: readonly string[];
}

const NEVER_ASKED: GateState = { epoch: 0, passes: 0, permits: [] };

/** An edited row may hold permits of any type: those name no deletion. */
const named = (permits: unknown): readonly string[] =>
  Array.isArray(permits) ? permits.filter((permit) => typeof permit === 'string') : [];

const stateOf = ({ epoch, passes, permits }: GateRow): GateState => ({
  epoch,
  passes: passes ?? 0,
  permits: named(permits),
});

/** One row per tenant; each step is one conditional write of it. */
export function mongoGateStore(db: Db): GateStore {
  const gates = db.collection<GateRow>(GATES.name);
  const createRow = async (tenantId: TenantId): Promise<void> => {
    const first: GateRow = { _id: tenantId, ...NEVER_ASKED };
    await gates.insertOne(first, durable).catch(unlessTaken);
  };
  return {
    state: async (tenantId) => {
      const row = await gates.findOne({ _id: tenantId });
      if (row) return stateOf(row);
      await createRow(tenantId);
      const created = await gates.findOne({ _id: tenantId });
      return created ? stateOf(created) : NEVER_ASKED;
    },
    permit: async (tenantId, { epoch, passes }, deletionId) => {
      const change = { $addToSet: { permits: deletionId }, $set: { passes: passes + 1 } };
      const counted = passes === 0 ? { $in: [0, null] } : passes;
      const filter = { _id: tenantId, epoch, passes: counted };
      const { matchedCount } = await gates.updateOne(filter, change, durable);
      return matchedCount === 1;
    },
    advance: async (tenantId) => {
      await createRow(tenantId);
      const options = { ...durable, returnDocument: 'after' } as const;
      const row = await gates.findOneAndUpdate({ _id: tenantId }, { $inc: { epoch: 1 } }, options);
      if (!row) throw new Error('the gate row of the tenant is missing');
      return named(row.permits);
    },
    end: async (tenantId, deletionId) => {
      await gates.updateOne({ _id: tenantId }, { $pull: { permits: deletionId } }, durable);
    },
    permits: async () => {
      const rows = await gates.find({ 'permits.0': { $exists: true } }).toArray();
      return rows.map(({ _id, permits }) => ({ tenant_id: _id, deletion_ids: named(permits) }));
    },
  };
}
