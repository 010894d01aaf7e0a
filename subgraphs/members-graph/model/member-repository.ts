import type { Collection, Db, Filter } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { DEMOGRAPHIC_MEMBERS, type Demographics, type MemberStatus, NOTHING_KNOWN } from '../domain/members/member.js';
import type { MembersEffect } from '../service/ports/member-effects.js';
import {
  LEDGER_KEY,
  type MemberQuery,
  type MemberSketch,
  type MemberStore,
  type MemberWrite,
  type StoredMember,
  statusOf,
  type TenantMembers,
} from '../service/ports/member-store.js';
import { MEMBER_COLLECTION } from './member-model.js';

/** `_id` is `tenant_id/member_id`; no tenant_id holds a slash. */
interface MemberDocument extends StoredMember {
  readonly _id: string;
  readonly status: MemberStatus;
  readonly keys: readonly string[];
  readonly pending: readonly MembersEffect[];
}

const memberOf = ({ _id, status: _, keys: __, pending: ___, ...rest }: MemberDocument): StoredMember => rest;

/** What is read of a member: neither the keys nor what is pending leaves the database. */
const PROJECTION = { keys: 0, pending: 0 } as const;

/** Members by tenant; every filter begins with the tenant. */
export function memberStore(db: Db, outbox: EffectRelay): MemberStore {
  const rows = db.collection<MemberDocument>(MEMBER_COLLECTION);
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
    return found === null ? null : memberOf(found as MemberDocument);
  }

  async many(memberIds: readonly string[]): Promise<readonly StoredMember[]> {
    if (memberIds.length === 0) return [];
    const ids = memberIds.map((memberId) => this.#idOf(memberId));
    return this.#found({ _id: { $in: ids }, tenant_id: this.#tenantId } as Filter<MemberDocument>);
  }

  async isKept(): Promise<boolean> {
    for (const others of [{ $lt: LEDGER_KEY }, { $gt: LEDGER_KEY }]) {
      const filter = { tenant_id: this.#tenantId, created_by: others } as Filter<MemberDocument>;
      if ((await this.#rows.findOne(filter, { projection: { _id: 1 } })) !== null) return true;
    }
    return false;
  }

  async holders(key: string, most: number): Promise<number> {
    const filter = { tenant_id: this.#tenantId, keys: key } as Filter<MemberDocument>;
    const found = await this.#rows
      .find(filter, { projection: { _id: 1 } })
      .limit(most)
      .toArray();
    return found.length;
  }

  async after(memberId: string, limit: number): Promise<readonly StoredMember[]> {
    const beyond = { $gt: this.#idOf(memberId), $lt: `${this.#tenantId}0` };
    const filter = { _id: beyond, tenant_id: this.#tenantId } as Filter<MemberDocument>;
    const rows = await this.#rows.find(filter, { projection: PROJECTION }).sort({ _id: 1 }).limit(limit).toArray();
    return rows.map((row) => memberOf(row as MemberDocument));
  }

  count(): Promise<number> {
    return this.#rows.countDocuments({ tenant_id: this.#tenantId } as Filter<MemberDocument>);
  }

  async list(query: MemberQuery): Promise<readonly StoredMember[]> {
    const page = keysetQuery('created_at', query);
    const { status, program, jurisdiction } = query;
    const filters = Object.entries({ status, program, jurisdiction }).flatMap(([name, value]) =>
      value === undefined ? [] : [{ [name]: value }],
    );
    const filter = { $and: [{ tenant_id: this.#tenantId }, ...filters, page.filter] } as Filter<MemberDocument>;
    const rows = await this.#rows.find(filter, { projection: PROJECTION }).sort(page.sort).limit(page.fetch).toArray();
    return rows.map((row) => memberOf(row as MemberDocument));
  }

  async under(
    keys: readonly string[],
    limit: number,
    parts: readonly (keyof Demographics)[] = DEMOGRAPHIC_MEMBERS,
  ): Promise<readonly MemberSketch[]> {
    if (keys.length === 0) return [];
    const filter = { tenant_id: this.#tenantId, keys: { $in: [...keys] } } as Filter<MemberDocument>;
    const projection = Object.fromEntries([['_id', 0], ['member_id', 1], ...parts.map((part) => [part, 1])]);
    // In one reply: a second one costs as much as the first.
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
      await this.#rows.insertOne(row as MemberDocument, { writeConcern: DURABLE });
      return true;
    } catch (error) {
      if (duplicateKeyOf(error)) return false;
      throw error;
    }
  }

  async replace({ member, keys, pending }: MemberWrite, revision: number): Promise<boolean> {
    const { matchedCount } = await this.#rows.updateOne(
      { ...this.#one(member.member_id), revision },
      { $set: { ...member, status: statusOf(member), keys }, $push: { pending: { $each: pending } } } as never,
      { writeConcern: DURABLE },
    );
    return matchedCount === 1;
  }

  relay({ member, pending }: MemberWrite): Promise<void> {
    return this.#outbox.relay(MEMBER_COLLECTION, this.#idOf(member.member_id), pending);
  }

  async #found(filter: Filter<MemberDocument>): Promise<readonly StoredMember[]> {
    const rows = await this.#rows.find(filter, { projection: PROJECTION }).toArray();
    return rows.map((row) => memberOf(row as MemberDocument));
  }

  #one(memberId: string): Filter<MemberDocument> {
    return { _id: this.#idOf(memberId), tenant_id: this.#tenantId } as Filter<MemberDocument>;
  }

  #idOf(memberId: string): string {
    return `${this.#tenantId}/${memberId}`;
  }
}
