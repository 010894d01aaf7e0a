import type { Db } from 'mongodb';
import { DURABLE } from '../../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../../shared/db/duplicate-key.js';
import { PENDING_INDEX } from '../../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import { declareCollection } from '../../../../shared/records/collections.js';
import type { NoticeStore } from '../ports/notice-store.js';

/** Effects of requests that change no record: one row for each effect, removed when it is performed. */
export const NOTICES = declareCollection('ledger_notices', PENDING_INDEX);

interface NoticeDocument {
  readonly _id: string;
  readonly tenant_id: string;
  readonly pending: readonly PendingEffect[];
}

export function mongoNoticeStore(db: Db): NoticeStore {
  const notices = db.collection<NoticeDocument>(NOTICES.name);
  const performed = { 'pending.id': { $exists: false } } as const;
  return {
    insert: async (effect) => {
      try {
        const row = { _id: effect.id, tenant_id: effect.tenant_id, pending: [effect] };
        await notices.insertOne(row, { writeConcern: DURABLE });
      } catch (error) {
        // The same request was retried after its answer was lost.
        if (!duplicateKeyOf(error)) throw error;
      }
    },
    removePerformed: async (id) => {
      const filter = id === undefined ? performed : { _id: id, ...performed };
      await notices.deleteMany(filter, { writeConcern: { w: 1 } });
    },
  };
}
