import type { Db, Filter } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { GateState, GateStore } from '../service/ports/gate-store.js';
import { GATE_COLLECTION, type GateRow } from './hold-model.js';

const NEVER_ASKED: GateState = { epoch: 0, passes: 0, permits: [] };

const durable = { writeConcern: DURABLE } as const;

const stateOf = ({ epoch, passes = 0, permits }: GateRow): GateState => ({ epoch, passes, permits });

/** One row a tenant; each step is one conditional write of it. */
export function mongoGateStore(db: Db): GateStore {
  const gates = db.collection<GateRow>(GATE_COLLECTION);
  const made = async (tenantId: TenantId): Promise<void> => {
    const first: GateRow = { _id: tenantId, ...NEVER_ASKED };
    await gates.insertOne(first, durable).catch((error: unknown) => {
      if (!duplicateKeyOf(error)) throw error;
    });
  };
  return {
    state: async (tenantId) => {
      const row = await gates.findOne({ _id: tenantId });
      if (row) return stateOf(row);
      await made(tenantId);
      const standing = await gates.findOne({ _id: tenantId });
      return standing ? stateOf(standing) : NEVER_ASKED;
    },
    permit: async (tenantId, { epoch, passes }, deletionId) => {
      const change = { $addToSet: { permits: deletionId }, $set: { passes: passes + 1 } };
      const counted = passes === 0 ? { $in: [0, null] } : passes;
      const filter = { _id: tenantId, epoch, passes: counted } as Filter<GateRow>;
      const { matchedCount } = await gates.updateOne(filter, change, durable);
      return matchedCount === 1;
    },
    advance: async (tenantId) => {
      await made(tenantId);
      const options = { ...durable, returnDocument: 'after' } as const;
      const row = await gates.findOneAndUpdate({ _id: tenantId }, { $inc: { epoch: 1 } }, options);
      if (!row) throw new Error('the gate of a tenant is gone');
      return row.permits;
    },
    end: async (tenantId, deletionId) => {
      await gates.updateOne({ _id: tenantId }, { $pull: { permits: deletionId } }, durable);
    },
    permits: async () => {
      const rows = await gates.find({ 'permits.0': { $exists: true } }).toArray();
      return rows.map(({ _id, permits }) => ({ tenant_id: _id as TenantId, deletion_ids: permits }));
    },
  };
}
