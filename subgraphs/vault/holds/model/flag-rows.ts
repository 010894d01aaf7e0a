import type { Db } from 'mongodb';
import type { Clock } from '../../../../shared/clock/clock.js';
import { DURABLE } from '../../../../shared/db/connection-options.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { declareCollection } from '../../../../shared/records/collections.js';
import type { FlagRow, FlagRows } from '../ports.js';

export const HOLD_FLAGS = declareCollection('hold_flags', [{ tenant_id: 1, _id: 1 }]);

interface StoredFlagRow {
  /** The id of the hold. */
  readonly _id: string;
  readonly tenant_id: TenantId;
  readonly begun_at: Date;
  /** Time at which a run found nothing more to lift. */
  readonly lifted_at?: Date;
}

const durable = { writeConcern: DURABLE } as const;

/** The holds that may have set flags in the bucket. A row ends after the flags are lifted. */
export function mongoFlagRows(db: Db, clock: Clock): FlagRows {
  const rows = db.collection<StoredFlagRow>(HOLD_FLAGS.name);
  const rowOf = ({ _id, tenant_id, lifted_at }: StoredFlagRow): FlagRow => ({
    hold_id: _id,
    tenant_id,
    isLifted: lifted_at !== undefined,
  });
  return {
    tenantIds: () => rows.distinct('tenant_id'),
    of: async (tenant_id) => (await rows.find({ tenant_id }).sort({ _id: 1 }).toArray()).map(rowOf),
    all: async () => (await rows.find({}).toArray()).map(rowOf),
    begin: async (tenant_id, holdId) => {
      const $setOnInsert = { begun_at: new Date(clock.nowMs()) };
      const change = { $setOnInsert, $unset: { lifted_at: '' as const } };
      await rows.updateOne({ _id: holdId, tenant_id }, change, { ...durable, upsert: true });
    },
    markLifted: async (holdId) => {
      await rows.updateOne({ _id: holdId }, { $set: { lifted_at: new Date(clock.nowMs()) } }, durable);
    },
    end: async (holdId) => void (await rows.deleteOne({ _id: holdId }, durable)),
  };
}
