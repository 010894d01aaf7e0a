import type { Collection, Db, Filter } from 'mongodb';
import { DURABLE } from '../../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { type EffectRelay, PENDING_INDEX } from '../../../../shared/outbox/outbox.js';
import { declareCollection } from '../../../../shared/records/collections.js';
import { DEMOGRAPHIC_MEMBERS, type Demographics, type MemberStatus, NOTHING_KNOWN } from '../domain/member.js';
import {
  LEDGER_KEY,
  type MemberEffect,
  type MemberQuery,
  type MemberSketch,
  type MemberStore,
  type MemberWrite,
  type StoredMember,
  statusOf,
  type TenantMembers,
} from '../ports.js';

export const MEMBERS = declareCollection(
  'members',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1, created_at: -1, _id: -1 }],
  // One index for every key that a member is found by (matching/domain).
  [{ tenant_id: 1, keys: 1 }],
  [{ tenant_id: 1, created_by: 1 }],
  PENDING_INDEX,
);

export const MEMBER_CHANGES = declareCollection('member_changes', [{ tenant_id: 1, member_id: 1, at: -1, _id: -1 }]);

export const MERGES = declareCollection(
  'member_merges',
  [{ tenant_id: 1, number: -1 }],
  [{ tenant_id: 1, source_id: 1, number: 1 }],
  [{ tenant_id: 1, target_id: 1, number: 1 }],
  PENDING_INDEX,
);

export const MEMBER_FEED_CURSORS = declareCollection('member_feed_cursors', [{ tenant_id: 1 }]);
export const UNKNOWN_MEMBERS = declareCollection('unknown_members', [{ tenant_id: 1, member_id: 1 }]);

/** `_id` is `tenant_id/member_id`; a tenant_id has no slash. */
interface MemberDocument extends StoredMember {
  readonly _id: string;
  readonly status: MemberStatus;
  readonly keys: readonly string[];
  readonly pending: readonly MemberEffect[];
}

const memberOf = ({ _id, status: _, keys: __, pending: ___, ...rest }: MemberDocument): StoredMember => rest;

/** Reads exclude keys and pending effects. */
const PROJECTION = { keys: 0, pending: 0 } as const;

/** Members by tenant; every filter begins with the tenant. */
export function memberStore(db: Db, outbox: EffectRelay): MemberStore {
  const rows = db.collection<MemberDocument>(MEMBERS.name);
  return (tenantId) => new MongoTenantMembers(rows, outbox, tenantId);
}

class MongoTenantMembers implements TenantMembers {
  readonly #rows: Collection<MemberDocument>;
  readonly #outbox: EffectRelay;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<MemberDocument>, outbox: EffectRelay, tenantId: TenantId) {
    this.#rows = rows;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(memberId: string): Promise<StoredMember | null> {
    const found = await this.#rows.findOne(this.#one(memberId), { projection: PROJECTION });
    return found && memberOf(found);
  }

  async many(memberIds: readonly string[]): Promise<readonly StoredMember[]> {
    if (memberIds.length === 0) return [];
    const ids = memberIds.map((memberId) => this.#idOf(memberId));
    const filter = { _id: { $in: ids }, tenant_id: this.#tenantId };
    const options = { projection: PROJECTION, batchSize: ids.length + 1 };
    return (await this.#rows.find(filter, options).toArray()).map(memberOf);
  }

  async hasOwnMembers(): Promise<boolean> {
    for (const others of [{ $lt: LEDGER_KEY }, { $gt: LEDGER_KEY }]) {
      const filter = { tenant_id: this.#tenantId, created_by: others };
      if ((await this.#rows.findOne(filter, { projection: { _id: 1 } })) !== null) return true;
    }
    return false;
  }

  async countHolders(key: string, most: number): Promise<number> {
    const filter = { tenant_id: this.#tenantId, keys: key };
    const found = await this.#rows
      .find(filter, { projection: { _id: 1 } })
      .limit(most)
      .toArray();
    return found.length;
  }

  async after(memberId: string, limit: number): Promise<readonly StoredMember[]> {
    const beyond = { $gt: this.#idOf(memberId), $lt: `${this.#tenantId}0` };
    const filter = { _id: beyond, tenant_id: this.#tenantId };
    const rows = await this.#rows.find(filter, { projection: PROJECTION }).sort({ _id: 1 }).limit(limit).toArray();
    return rows.map(memberOf);
  }

  count(): Promise<number> {
    return this.#rows.countDocuments({ tenant_id: this.#tenantId });
  }

  async list(query: MemberQuery): Promise<readonly StoredMember[]> {
    const page = keysetQuery('created_at', query);
    const filters = Object.entries(query.where).flatMap(([name, value]) =>
      value === undefined ? [] : [{ [name]: value }],
    );
    const filter = { $and: [{ tenant_id: this.#tenantId }, ...filters, page.filter] };
    const rows = await this.#rows.find(filter, { projection: PROJECTION }).sort(page.sort).limit(page.fetch).toArray();
    return rows.map(memberOf);
  }

  async findByKeys(
    keys: readonly string[],
    limit: number,
    parts: readonly (keyof Demographics)[] = DEMOGRAPHIC_MEMBERS,
  ): Promise<readonly MemberSketch[]> {
    if (keys.length === 0) return [];
    const filter = { tenant_id: this.#tenantId, keys: { $in: [...keys] } };
    const projection = Object.fromEntries([['_id', 0], ['member_id', 1], ...parts.map((part) => [part, 1])]);
    // Reads in one reply: a second one costs as much as the first.
    const rows = await this.#rows
      .find(filter, { projection })
      .limit(limit)
      .batchSize(limit + 1)
      .toArray();
    return rows.map((row) => ({ ...NOTHING_KNOWN, ...row }));
  }

  async insert(write: MemberWrite): Promise<boolean> {
    const { member, keys, pending } = write;
    const row = { _id: this.#idOf(member.member_id), ...member, status: statusOf(member), keys, pending };
    try {
      await this.#rows.insertOne(row, { writeConcern: DURABLE });
    } catch (error) {
      if (duplicateKeyOf(error)) return false;
      throw error;
    }
    await this.#relay(write);
    return true;
  }

  async replace(write: MemberWrite, revision: number): Promise<boolean> {
    const { member, keys, pending } = write;
    const { matchedCount } = await this.#rows.updateOne(
      { ...this.#one(member.member_id), revision },
      { $set: { ...member, status: statusOf(member), keys }, $push: { pending: { $each: [...pending] } } },
      { writeConcern: DURABLE },
    );
    if (matchedCount === 0) return false;
    await this.#relay(write);
    return true;
  }

  async #relay({ member, pending }: MemberWrite): Promise<void> {
    if (pending.length > 0) await this.#outbox.relay(MEMBERS.name, this.#idOf(member.member_id), pending);
  }

  #one(memberId: string): Filter<MemberDocument> {
    return { _id: this.#idOf(memberId), tenant_id: this.#tenantId };
  }

  #idOf(memberId: string): string {
    return `${this.#tenantId}/${memberId}`;
  }
}
