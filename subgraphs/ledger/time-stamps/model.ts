import type { Db } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { dueAt } from '../../../shared/jobs/work-queue.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { PENDING_STAMP } from '../../../shared/timestamp/stamp-row.js';
import type { CheckpointStampRow, CheckpointStamps } from './ports.js';

export const CHECKPOINT_STAMPS = declareCollection(
  'ledger_time_stamps',
  [{ tenant_id: 1, requested_at: -1 }],
  [{ tenant_id: 1, incarnation: 1, status: 1, tree_size: -1 }],
);

export function checkpointStamps(db: Db): CheckpointStamps {
  const rows = db.collection<CheckpointStampRow>(CHECKPOINT_STAMPS.name);
  return {
    async ask(tenant_id, { checkpoint_id, incarnation, tree_size }, at) {
      const place = { _id: checkpoint_id, tenant_id, incarnation, tree_size, requested_at: at };
      try {
        await rows.insertOne({ ...place, ...PENDING_STAMP, ...dueAt(at.getTime()) }, { writeConcern: DURABLE });
      } catch (error) {
        if (!duplicateKeyOf(error)) throw error;
      }
    },
    get: (tenant_id, checkpointId) => rows.findOne({ _id: checkpointId, tenant_id }),
    newest: (tenant_id) => rows.findOne({ tenant_id }, { sort: { tenant_id: 1, requested_at: -1 } }),
    largest: (tenant_id, incarnation) =>
      rows.findOne(
        { tenant_id, incarnation, status: 'OBTAINED' },
        { sort: { tenant_id: 1, incarnation: 1, status: 1, tree_size: -1 } },
      ),
  };
}
