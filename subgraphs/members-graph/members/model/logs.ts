import type { Db } from 'mongodb';
import { DURABLE } from '../../../../shared/db/database.js';
import { keysetQuery } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { ChangeStore, FeedCursors, KeptChange, MemberChange, UnknownStore } from '../ports.js';
import { MEMBER_CHANGES, MEMBER_FEED_CURSORS, UNKNOWN_MEMBERS } from './members.js';

/** `_id` is the id of the effect that stored the row, which makes storing idempotent. */
interface ChangeDocument extends MemberChange {
  readonly _id: string;
  readonly tenant_id: TenantId;
}

const changeOf = ({ _id, tenant_id: _, ...change }: ChangeDocument): KeptChange => ({ ...change, change_id: _id });

/** Stores the history of members by tenant. */
export function changeStore(db: Db): ChangeStore {
  const rows = db.collection<ChangeDocument>(MEMBER_CHANGES.name);
  return (tenantId) => ({
    async keep(changeId, change) {
      const row = { tenant_id: tenantId, ...change };
      await rows.updateOne(
        { _id: changeId, tenant_id: tenantId },
        { $setOnInsert: row },
        { upsert: true, writeConcern: DURABLE },
      );
    },
    async list(memberId, query) {
      const page = keysetQuery('at', query);
      const filter = { $and: [{ tenant_id: tenantId, member_id: memberId }, page.filter] };
      const found = await rows.find(filter).sort(page.sort).limit(page.fetch).toArray();
      return found.map(changeOf);
    },
  });
}

/** `_id` is `tenant_id/source_system`; a tenant_id has no slash. */
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

export function feedCursors(db: Db): FeedCursors {
  const rows = db.collection<CursorDocument>(MEMBER_FEED_CURSORS.name);
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
      await rows.bulkWrite(writes, { ordered: false, writeConcern: DURABLE });
    },
  };
}

export function unknownStore(db: Db): UnknownStore {
  const rows = db.collection<UnknownDocument>(UNKNOWN_MEMBERS.name);
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
          { _id, tenant_id: tenantId },
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
