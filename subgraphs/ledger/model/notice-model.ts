import type { Db } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { NoticeStore } from '../service/ports/notice-store.js';

export const NOTICE_COLLECTION = 'ledger_notices';

/** What no record of its own carries: a row for each effect, gone when it is performed. */
export const noticeSchema = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    pending: { type: [Schema.Types.Mixed], required: true },
  },
  { collection: NOTICE_COLLECTION, versionKey: false, autoIndex: false },
);
noticeSchema.index(...PENDING_INDEX);

interface NoticeDocument {
  readonly _id: string;
  readonly tenant_id: string;
  readonly pending: readonly PendingEffect[];
}

export function mongoNoticeStore(db: Db): NoticeStore {
  const notices = db.collection<NoticeDocument>(NOTICE_COLLECTION);
  const performed = { 'pending.id': { $exists: false } } as const;
  return {
    insert: async (effect) => {
      try {
        const row = { _id: effect.id, tenant_id: effect.tenant_id, pending: [effect] };
        await notices.insertOne(row, { writeConcern: DURABLE });
      } catch (error) {
        // The same request run again, after its answer was lost.
        if (!duplicateKeyOf(error)) throw error;
      }
    },
    removePerformed: async (id) => {
      const filter = id === undefined ? performed : { _id: id, ...performed };
      await notices.deleteMany(filter, { writeConcern: { w: 1 } });
    },
  };
}
