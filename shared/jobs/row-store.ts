import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import { DURABLE } from '../db/database.js';
import type { RowChange, WorkRow } from './work-queue.js';

/** Due time of the next row of a group. */
interface Head {
  readonly group: string;
  readonly dueMs: number;
}

/** Who writes; `alone`: no other process has rows of this database. */
interface RowStoreOwner {
  readonly owner: string;
  readonly alone: boolean;
}

/** A claim is lost at worst: then the row is due, as it was. It need not wait for the disk, and reads what it wrote. */
const PASSING = { writeConcern: { w: 1 }, readConcern: { level: 'local' } } as const;

const WAITING = { $exists: true } as const;
const NO_LEASE = { lease_until: '', lease_token: '', lease_owner: '' } as const;
const HELD_INDEX = { lease_until: 1, tenant_id: 1 } as const;
/** Rows of one look over the heads; a group that fills it is jumped over. */
const SCAN_ROWS = 64;

/** The queue's reads and writes of its rows. Every write of a holder names the fence. */
export class RowStore<Row extends WorkRow> {
  readonly #rows: Collection<WorkRow>;
  readonly #durable: Collection<WorkRow>;
  readonly #group: string;
  readonly #owner: string;
  readonly #alone: boolean;

  constructor(db: Db, collection: string, groupField: string, { owner, alone }: RowStoreOwner) {
    this.#rows = db.collection<WorkRow>(collection, PASSING);
    this.#durable = db.collection<WorkRow>(collection, { writeConcern: DURABLE });
    this.#group = groupField;
    this.#owner = owner;
    this.#alone = alone;
  }

  /** The first two index waiting rows, the third held rows, the fourth poisoned rows; rows at rest are in none. */
  async prepare(): Promise<void> {
    const within = (member: keyof WorkRow) => ({ partialFilterExpression: { [member]: WAITING } });
    await this.#rows.createIndex({ [this.#group]: 1, next_attempt_at: 1 }, within('next_attempt_at'));
    await this.#rows.createIndex({ next_attempt_at: 1, tenant_id: 1 }, within('next_attempt_at'));
    await this.#rows.createIndex(HELD_INDEX, within('lease_until'));
    await this.#rows.createIndex({ poisoned_at: 1, tenant_id: 1 }, within('poisoned_at'));
  }

  /** Up to `limit` waiting rows of one group, the longest due first: those that are not yet due tell when to come back. */
  async waiting(group: string, limit: number): Promise<readonly { readonly id: string; readonly dueMs: number }[]> {
    const rows = await this.#rows
      .find(this.#inGroup(group, { next_attempt_at: WAITING }))
      .sort({ [this.#group]: 1, next_attempt_at: 1 })
      .limit(limit)
      .project<WorkRow>({ next_attempt_at: 1 })
      .toArray();
    return rows.map(({ _id, next_attempt_at }) => ({ id: _id, dueMs: next_attempt_at?.getTime() ?? 0 }));
  }

  /** Of each group behind `after`, in order, its first waiting row; fewer groups than there are when one fills a look. */
  async heads(after: string | null): Promise<readonly Head[]> {
    const waiting = { next_attempt_at: WAITING };
    const rows = await this.#rows
      .find(after === null ? waiting : this.#inGroup({ $gt: after }, waiting))
      .sort({ [this.#group]: 1, next_attempt_at: 1 })
      .limit(SCAN_ROWS)
      .project<Record<string, unknown> & WorkRow>({ [this.#group]: 1, next_attempt_at: 1 })
      .toArray();
    const heads = new Map<string, number>();
    for (const row of rows) {
      const group = String(row[this.#group]);
      if (!heads.has(group)) heads.set(group, row.next_attempt_at?.getTime() ?? 0);
    }
    return [...heads].map(([group, dueMs]) => ({ group, dueMs }));
  }

  /** Takes those of the rows that still wait. @returns them as they are now, in the order asked for. */
  async claim(ids: readonly string[], token: string, nowMs: number, untilMs: number): Promise<readonly Row[]> {
    const lease = { lease_until: new Date(untilMs), lease_token: token, lease_owner: this.#owner };
    const isDue = { next_attempt_at: { $exists: true, $lte: new Date(nowMs) } };
    const take = { $set: lease, $unset: { next_attempt_at: '' as const }, $inc: { claims: 1 } };
    const [only, ...others] = ids;
    if (only !== undefined && others.length === 0) {
      const row = await this.#rows.findOneAndUpdate({ _id: only, ...isDue }, take, { returnDocument: 'after' });
      return row === null ? [] : this.#own([row]);
    }
    const taken = await this.#rows.updateMany({ _id: { $in: [...ids] }, ...isDue }, take);
    if (taken.modifiedCount === 0) return [];
    const rows = await this.#rows.find({ _id: { $in: [...ids] }, lease_token: token }).toArray();
    const place = new Map(ids.map((id, index) => [id, index]));
    rows.sort((a, b) => (place.get(a._id) ?? 0) - (place.get(b._id) ?? 0));
    return this.#own(rows);
  }

  /** @param rows read from the collection, in which only the domain of Row writes. */
  #own(rows: readonly WorkRow[]): readonly Row[] {
    // Filters of the driver take no generic row, so the collection has the members of every row.
    return rows as readonly Row[];
  }

  #inGroup(group: unknown, condition: Filter<WorkRow>): Filter<WorkRow> {
    return { ...condition, [this.#group]: group };
  }

  /** How many rows of each group other processes hold. */
  async heldByOthers(groups: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (this.#alone) return new Map();
    // Held rows are few: a separate index would cost each claim more than this scan. Without a hint the
    // database may read all that the groups ever had, along an index of the domain's.
    const held = { lease_until: { $exists: true, $gt: new Date(0) }, lease_owner: { $ne: this.#owner } };
    const rows = await this.#rows
      .find(this.#inGroup({ $in: [...groups] }, held), { hint: HELD_INDEX })
      .project<Record<string, unknown>>({ _id: 0, [this.#group]: 1 })
      .toArray();
    const counts = new Map<string, number>();
    for (const row of rows) {
      const group = String(row[this.#group]);
      counts.set(group, (counts.get(group) ?? 0) + 1);
    }
    return counts;
  }

  /** What became of rows, in one durable write. @returns how many leases were lost: their rows are untouched. */
  async settle(settlements: readonly Settlement[]): Promise<number> {
    const { matchedCount } = await this.#durable.bulkWrite(
      settlements.map(({ id, token, change, nextMs, claims }) => ({
        updateOne: { filter: { _id: id, lease_token: token }, update: restingUpdate(change, nextMs, claims) },
      })),
      { ordered: false },
    );
    return settlements.length - matchedCount;
  }

  /** A write in the middle of a handling. */
  async write(id: string, token: string, change: RowChange): Promise<boolean> {
    const result = await this.#durable.updateOne({ _id: id, lease_token: token }, updateOf(change));
    return result.matchedCount === 1;
  }

  /** Handed back untried. */
  async release(ids: readonly string[], tokens: readonly string[], nowMs: number): Promise<void> {
    await this.#rows.updateMany(
      { _id: { $in: [...ids] }, lease_token: { $in: [...tokens] } },
      { $set: { next_attempt_at: new Date(nowMs) }, $unset: NO_LEASE, $inc: { claims: -1 } },
    );
  }

  /** @returns the tokens and ids still held, when some of the leases were lost; undefined when all stand. */
  async renew(
    ids: readonly string[],
    tokens: readonly string[],
    untilMs: number,
  ): Promise<ReadonlySet<string> | undefined> {
    const filter = { _id: { $in: [...ids] }, lease_token: { $in: [...tokens] } };
    const { matchedCount } = await this.#rows.updateMany(filter, { $set: { lease_until: new Date(untilMs) } });
    if (matchedCount === ids.length) return undefined;
    const held = await this.#rows.find(filter).project<WorkRow>({ lease_token: 1 }).toArray();
    return new Set(held.map(({ _id, lease_token }) => leaseKey(_id, lease_token ?? '')));
  }

  /** Makes rows with an expired lease due again. @returns how many, and of which groups. */
  async sweep(nowMs: number): Promise<{ readonly died: number; readonly groups: readonly string[] }> {
    const over = { lease_until: { $exists: true, $lt: new Date(nowMs) } };
    const dead = await this.#rows
      .find(over)
      .project<Record<string, unknown>>({ _id: 0, [this.#group]: 1 })
      .toArray();
    if (dead.length === 0) return { died: 0, groups: [] };
    const { modifiedCount } = await this.#rows.updateMany(over, {
      $set: { next_attempt_at: new Date(nowMs) },
      $unset: NO_LEASE,
    });
    return { died: modifiedCount, groups: [...new Set(dead.map((row) => String(row[this.#group])))] };
  }
}

/** What a holder leaves behind. */
export interface Settlement {
  readonly id: string;
  readonly token: string;
  readonly change: RowChange;
  /** Null: at rest. */
  readonly nextMs: number | null;
  /** Claims without an outcome up to now; 0 after an outcome. */
  readonly claims: number;
}

export const leaseKey = (id: string, token: string): string => `${token}/${id}`;

function restingUpdate(change: RowChange, nextMs: number | null, claims: number): UpdateFilter<WorkRow> {
  const waits = nextMs === null ? {} : { next_attempt_at: new Date(nextMs), claims };
  const gone = [...Object.keys(NO_LEASE), ...(nextMs === null ? ['claims'] : [])];
  return updateOf({ ...change, set: { ...change.set, ...waits }, unset: [...(change.unset ?? []), ...gone] });
}

/** A change as the server takes it; empty operators are left out. */
function updateOf({ set, unset, push, inc }: RowChange): UpdateFilter<WorkRow> {
  const filled = (operator: Readonly<Record<string, unknown>> | undefined) =>
    operator !== undefined && Object.keys(operator).length > 0;
  // `set` may hold members of the domain, which WorkRow does not name.
  return {
    ...(filled(set) ? { $set: set } : {}),
    ...(unset && unset.length > 0 ? { $unset: Object.fromEntries(unset.map((name) => [name, ''])) } : {}),
    ...(filled(push) ? { $push: push } : {}),
    ...(filled(inc) ? { $inc: inc } : {}),
  } as UpdateFilter<WorkRow>;
}
