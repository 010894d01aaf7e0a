import type { Collection, Filter } from 'mongodb';
import type { HeldKind } from '../../../../shared/contracts/holds.js';
import { DURABLE } from '../../../../shared/db/connection-options.js';
import { duplicateKeyOf } from '../../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../../shared/outbox/outbox.js';
import type { Page } from '../../../../shared/pagination/cursor.js';
import { STATES_INDEX } from '../../../../shared/records/check-rows.js';
import { declareCollection } from '../../../../shared/records/collections.js';
import type { RecordStoreOptions } from '../../../../shared/records/record-store.js';
import { documentsOf, RecordStore, type RecordStoreDeps } from '../../../../shared/records/record-store.js';
import type { ListQuery } from '../../../../shared/records/records.js';
import { verifiesRows } from '../../../../shared/records/verified-rows.js';
import type { VaultEffect } from '../../documents/index.js';
import type {
  HoldCounts,
  HoldListing,
  HoldStore,
  ListedFlags,
  ListedRecord,
  StoredHold,
  TenantHolds,
  Tombstone,
  TombstoneQuery,
} from '../ports.js';

export const HOLDS = declareCollection(
  'legal_holds',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, matter_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, 'scope.member_ids': 1, created_at: -1, _id: -1 }],
  STATES_INDEX,
  PENDING_INDEX,
);

export const TOMBSTONES = declareCollection(
  'hold_tombstones',
  [{ tenant_id: 1, hold_id: 1, held_at: -1, _id: -1 }],
  [{ tenant_id: 1, hold_id: 1, kind: 1, held_at: -1, _id: -1 }],
  [{ tenant_id: 1, hold_id: 1, flagged_at: 1, held_at: 1 }],
  [{ tenant_id: 1, hold_id: 1, flag_missing_at: 1 }],
);

/** One record under one hold; `_id` combines both, so that nothing is listed twice. */
interface TombstoneRow extends Tombstone {
  readonly _id: string;
  readonly tenant_id: string;
  /** Time at which its objects had the legal hold flag; absent until then. */
  readonly flagged_at?: Date;
  /** Time of the last attempt that found no object. */
  readonly flag_missing_at?: Date;
}

const tombstoneId = (holdId: string, kind: HeldKind, id: string): string => `${holdId}/${kind}/${id}`;

/** More active holds than people could place: the gate reads them all. */
const MOST_ACTIVE = 10_000;
const BATCH = 500;

type HoldForm = Required<Pick<RecordStoreOptions<StoredHold>, 'check' | 'facts'>>;

/** Legal holds and their listings by tenant; every filter starts with the tenant. */
export function holdStore(deps: RecordStoreDeps, form: HoldForm): HoldStore {
  verifiesRows(deps, { collection: HOLDS, id: 'hold_id', ...form });
  return {
    forTenant: (tenantId) => new HoldRecords(deps, form, tenantId),
    tenantIds: () => documentsOf(deps.db, HOLDS).distinct('tenant_id', { status: 'ACTIVE' }),
    listedFlags: async () => {
      const active = await documentsOf(deps.db, HOLDS).find({ status: 'ACTIVE' }).project({ tenant_id: 1 }).toArray();
      const tombstones = deps.db.collection<TombstoneRow>(TOMBSTONES.name);
      return Promise.all(active.map(({ tenant_id, _id }) => listedFlags(tombstones, { tenant_id, hold_id: _id })));
    },
    activeAmong: (ids) => documentsOf(deps.db, HOLDS).countDocuments({ _id: { $in: [...ids] }, status: 'ACTIVE' }),
  };
}

type OfHold = Pick<TombstoneRow, 'tenant_id' | 'hold_id'>;

/** Records without a flag; those without an object are not among them. */
const due = (ofHold: OfHold): Filter<TombstoneRow> => ({
  ...ofHold,
  flagged_at: { $exists: false },
  flag_missing_at: { $exists: false },
});

async function listedFlags(tombstones: Collection<TombstoneRow>, ofHold: OfHold): Promise<ListedFlags> {
  const [first] = await tombstones.find(due(ofHold)).sort({ held_at: 1 }).limit(1).toArray();
  return {
    due: first === undefined ? 0 : await tombstones.countDocuments(due(ofHold)),
    oldest: first?.held_at ?? null,
    missing: await tombstones.countDocuments({ ...ofHold, flag_missing_at: { $exists: true } }),
  };
}

class HoldRecords extends RecordStore<StoredHold, VaultEffect> implements TenantHolds {
  readonly #tombstones: Collection<TombstoneRow>;

  constructor(deps: RecordStoreDeps, form: HoldForm, tenantId: TenantId) {
    super(deps, { collection: HOLDS, id: 'hold_id', ...form }, tenantId);
    this.#tombstones = deps.db.collection<TombstoneRow>(TOMBSTONES.name);
  }

  async pageNaming(memberId: string, query: ListQuery<StoredHold>): Promise<Page<StoredHold>> {
    // Facts of holds name no members.
    return this.pageWhere(query, [{ 'scope.member_ids': memberId }], { named: await this.everyId() });
  }

  async active(): Promise<readonly StoredHold[]> {
    const active = (await this.everyRow()).filter(({ status }) => status === 'ACTIVE');
    if (active.length > MOST_ACTIVE) throw new Error('the tenant has more active legal holds than the gate can read');
    return active.sort((a, b) => a.created_at.getTime() - b.created_at.getTime() || (a.hold_id < b.hold_id ? -1 : 1));
  }

  async markSettled(holdId: string, revision: number): Promise<void> {
    const change = { $set: { settled: true } };
    await this.documents.updateOne({ ...this.one(holdId), revision }, change, { writeConcern: DURABLE });
  }

  async unlist(holdId: string): Promise<void> {
    await this.#tombstones.deleteMany({ tenant_id: this.tenantId, hold_id: holdId, refused: 0 });
  }

  async saveListing(holdId: string, revision: number, listing: HoldListing): Promise<void> {
    await this.documents.updateOne({ ...this.one(holdId), revision }, { $set: { listing } });
  }

  async addToListing(holdId: string, subjects: readonly { readonly kind: HeldKind; readonly id: string }[], at: Date) {
    for (let from = 0; from < subjects.length; from += BATCH) {
      const rows = subjects.slice(from, from + BATCH).map(({ kind, id }) => this.#listed(holdId, kind, id, at));
      await this.#tombstones.insertMany(rows, { ordered: false }).catch((error: unknown) => {
        // Already listed.
        if (!duplicateKeyOf(error)) throw error;
      });
    }
  }

  async refuse(
    refused: readonly { readonly kind: HeldKind; readonly id: string; readonly hold_ids: readonly string[] }[],
    at: Date,
  ): Promise<void> {
    const operations = refused.flatMap(({ kind, id, hold_ids }) =>
      hold_ids.map((holdId) => {
        const { _id, refused: _, refused_at: __, ...fresh } = this.#listed(holdId, kind, id, at);
        const update = { $inc: { refused: 1 }, $set: { refused_at: at }, $setOnInsert: fresh };
        return { updateOne: { filter: { _id }, update, upsert: true } };
      }),
    );
    if (operations.length > 0) await this.#tombstones.bulkWrite(operations, { ordered: false });
  }

  async unflagged(holdId: string, again: Date, limit: number): Promise<readonly ListedRecord[]> {
    const ofHold = { tenant_id: this.tenantId, hold_id: holdId };
    const fresh = await this.#tombstones.find(due(ofHold)).sort({ held_at: 1 }).limit(limit).toArray();
    if (fresh.length > 0) return fresh;
    return this.#tombstones.find({ ...ofHold, flag_missing_at: { $lt: again } }, { limit }).toArray();
  }

  async markFlagged(
    holdId: string,
    records: readonly ListedRecord[],
    { missing, at }: { readonly missing: boolean; readonly at: Date },
  ): Promise<void> {
    if (records.length === 0) return;
    const ids = records.map(({ kind, id }) => tombstoneId(holdId, kind, id));
    const change = missing
      ? { $set: { flag_missing_at: at } }
      : { $set: { flagged_at: at }, $unset: { flag_missing_at: '' as const } };
    await this.#tombstones.updateMany({ tenant_id: this.tenantId, _id: { $in: ids } }, change);
  }

  async tombstones(holdId: string, query: TombstoneQuery): Promise<readonly Tombstone[]> {
    const page = keysetQuery('held_at', query);
    const own = {
      tenant_id: this.tenantId,
      hold_id: holdId,
      ...(query.kind === undefined ? {} : { kind: query.kind }),
    };
    const filter = { $and: [own, page.filter] };
    const rows = await this.#tombstones.find(filter).sort(page.sort).limit(page.fetch).toArray();
    return rows.map(({ hold_id, kind, id, held_at, refused, refused_at }) => ({
      hold_id,
      kind,
      id,
      held_at,
      refused,
      refused_at,
    }));
  }

  async counts(holdIds: readonly string[]): Promise<ReadonlyMap<string, HoldCounts>> {
    const sums = await this.#tombstones
      .aggregate<{ _id: { hold: string; kind: HeldKind }; count: number; refused: number }>([
        { $match: { tenant_id: this.tenantId, hold_id: { $in: [...holdIds] } } },
        { $group: { _id: { hold: '$hold_id', kind: '$kind' }, count: { $sum: 1 }, refused: { $sum: '$refused' } } },
      ])
      .toArray();
    return new Map(
      holdIds.map((holdId) => {
        const own = sums.filter(({ _id }) => _id.hold === holdId);
        const countOf = (kind: HeldKind): number => own.find(({ _id }) => _id.kind === kind)?.count ?? 0;
        const refused = own.reduce((sum, row) => sum + row.refused, 0);
        return [holdId, { events: countOf('EVENT'), documents: countOf('DOCUMENT'), refused }];
      }),
    );
  }

  #listed(hold_id: string, kind: HeldKind, id: string, held_at: Date): TombstoneRow {
    const _id = tombstoneId(hold_id, kind, id);
    return { _id, tenant_id: this.tenantId, hold_id, kind, id, held_at, refused: 0, refused_at: null };
  }
}
