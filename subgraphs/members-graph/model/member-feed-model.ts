import type { Db, Filter } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import type { FeedCursors, UnknownStore } from '../service/ports/member-feed-store.js';

export const MEMBER_FEED_COLLECTION = 'member_feed_cursors';
export const UNKNOWN_MEMBER_COLLECTION = 'unknown_members';

/** `_id` is `tenant_id/source_system`; no tenant_id holds a slash. */
interface CursorDocument {
  readonly _id: string;
  readonly tenant_id: string;
  readonly source_system: string;
  readonly sequence: number;
}

/** `_id` is `tenant_id/member_id`. */
interface UnknownDocument {
  readonly _id: string;
  readonly tenant_id: string;
  readonly member_id: string;
  readonly event_id: string;
}

export const memberFeedSchema = new Schema(
  { _id: { type: String, required: true }, tenant_id: { type: String, required: true } },
  { collection: MEMBER_FEED_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
memberFeedSchema.index({ tenant_id: 1 });

export const unknownMemberSchema = new Schema(
  { _id: { type: String, required: true }, tenant_id: { type: String, required: true } },
  { collection: UNKNOWN_MEMBER_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
unknownMemberSchema.index({ tenant_id: 1, member_id: 1 });

export function feedCursors(db: Db): FeedCursors {
  const rows = db.collection<CursorDocument>(MEMBER_FEED_COLLECTION);
  return {
    async of(tenantId) {
      const found = await rows.find({ tenant_id: tenantId }).toArray();
      return found.map(({ source_system, sequence }) => ({ source_system, sequence }));
    },
    async advance(tenantId, heads) {
      if (heads.length === 0) return;
      const writes = heads.map(({ source_system, sequence }) => ({
        updateOne: {
          filter: { _id: `${tenantId}/${source_system}` },
          update: { $max: { sequence }, $setOnInsert: { tenant_id: tenantId, source_system } },
          upsert: true,
        },
      }));
      await rows.bulkWrite(writes as never, { ordered: false, writeConcern: DURABLE });
    },
  };
}

export function unknownStore(db: Db): UnknownStore {
  const rows = db.collection<UnknownDocument>(UNKNOWN_MEMBER_COLLECTION);
  return (tenantId) => {
    const idOf = (memberId: string): string => `${tenantId}/${memberId}`;
    return {
      async among(memberIds) {
        const found = await rows.find({ _id: { $in: memberIds.map(idOf) }, tenant_id: tenantId }).toArray();
        return new Set(found.map(({ member_id }) => member_id));
      },
      async add(unknown) {
        const _id = idOf(unknown.member_id);
        await rows.updateOne(
          { _id, tenant_id: tenantId } as Filter<UnknownDocument>,
          { $setOnInsert: { ...unknown } },
          {
            upsert: true,
            writeConcern: DURABLE,
          },
        );
      },
      async remove(memberId) {
        await rows.deleteOne({ _id: idOf(memberId), tenant_id: tenantId }, { writeConcern: DURABLE });
      },
      async after(memberId, limit) {
        const filter = { tenant_id: tenantId, member_id: { $gt: memberId } };
        const found = await rows.find(filter).sort({ member_id: 1 }).limit(limit).toArray();
        return found.map(({ member_id }) => member_id);
      },
    };
  };
}
