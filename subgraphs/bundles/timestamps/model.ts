import type { Db } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { dueAt } from '../../../shared/jobs/work-queue.js';
import { PENDING_STAMP } from '../../../shared/timestamp/stamp-row.js';
import type { TimestampRow, TimestampStore } from './ports.js';

/** Separate from the bundle, because the token signs its signature. Read by `_id` alone, the bundle_id. */
export const TIMESTAMP_COLLECTION = 'bundle_timestamps';

export function timestampStore(db: Db): TimestampStore {
  const rows = db.collection<TimestampRow>(TIMESTAMP_COLLECTION);
  return {
    async ask(tenantId, bundleId, at) {
      const row: TimestampRow = {
        _id: bundleId,
        tenant_id: tenantId,
        requested_at: at,
        ...PENDING_STAMP,
        ...dueAt(at.getTime()),
      };
      try {
        await rows.insertOne(row, { writeConcern: DURABLE });
        return true;
      } catch (error) {
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    async get(tenantId, bundleId) {
      return rows.findOne({ _id: bundleId, tenant_id: tenantId });
    },
  };
}
