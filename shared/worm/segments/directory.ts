import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import type { Clock } from '../../clock/clock.js';
import type { WormLimits } from '../../config/config.js';
import { DURABLE } from '../../db/database.js';
import { duplicateKeyOf } from '../../db/duplicate-key.js';
import { capacityOf, quarterOf, segmentName } from './names.js';
import type { SegmentRotator } from './rotator.js';

/** The content of a sealed segment as in its sealing entry (evidence.md section 4); hashes in lower-case hex. */
export interface SegmentSeal {
  /** The least and the greatest hash; null for an empty segment. */
  readonly first: string | null;
  readonly last: string | null;
  readonly count: number;
  /** Size of the records without framing. */
  readonly bytes: number;
  /** RFC 6962 root over the records' hashes in ascending order, so it depends only on the content. */
  readonly merkle_root: string;
  /** Root of the previous segment of the log; null for the first. */
  readonly prev_segment_root: string | null;
  readonly sealed_at: string;
  readonly signing_key_id: string;
  /** base64url of Ed25519 over the manifest. */
  readonly signature: string;
}

const SEAL_FORM = z.object({
  first: z.string().nullable(),
  last: z.string().nullable(),
  count: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  merkle_root: z.string(),
  prev_segment_root: z.string().nullable(),
  sealed_at: z.string(),
  signing_key_id: z.string(),
  signature: z.string(),
});

/** The seal in a statement that may hold any value; null for none. */
export const sealIn = (statement: unknown): SegmentSeal | null => SEAL_FORM.safeParse(statement).data ?? null;

const ROW_FORM = z.object({
  _id: z.string(),
  quarter: z.string(),
  number: z.int().positive(),
  size_bytes: z.int().positive(),
  max_records: z.int().positive(),
  reserved_records: z.int().nonnegative(),
  reserved_bytes: z.int().nonnegative(),
  state: z.enum(['OPEN', 'FULL', 'SEALED', 'DROPPED']),
  indexed: z.boolean(),
  opened_at: z.date(),
  full_at: z.date().optional(),
  seal: SEAL_FORM.optional(),
  dropped_at: z.date().optional(),
});

/** The first field of a row that is missing or of a wrong type; null for a sound row. */
export const malformedSegment = (row: SegmentRow): string | null =>
  ROW_FORM.safeParse(row).error?.issues[0]?.path.join('.') ?? null;

/**
 * A row of `worm_segments`. A FULL segment takes no new reservations, but reserved records may still arrive. A SEALED
 * segment no longer changes. Of a DROPPED segment only this row remains. The seal is stored here before its entry is
 * written, so that a retry after a crash writes the same entry.
 */
export interface SegmentRow {
  readonly _id: string;
  readonly log_id: string;
  readonly quarter: string;
  readonly number: number;
  readonly size_bytes: number;
  readonly max_records: number;
  readonly reserved_records: number;
  readonly reserved_bytes: number;
  readonly state: 'OPEN' | 'FULL' | 'SEALED' | 'DROPPED';
  /** True if `worm_index` has every record of a FULL segment. */
  readonly indexed: boolean;
  readonly opened_at: Date;
  readonly full_at?: Date;
  readonly seal?: SegmentSeal;
  /** Time at which a DROPPED segment's records were deleted. */
  readonly dropped_at?: Date;
}

interface Room {
  readonly segment: string;
  readonly records: number;
  readonly bytes: number;
}

/** Lists the segments and reserves space in them; the only place that does. */
export class SegmentDirectory {
  readonly #rotator: SegmentRotator;
  readonly #rows: Collection<SegmentRow>;
  readonly #limits: WormLimits;
  readonly #clock: Clock;
  /** Segments that this process knows to exist, so that opening one ahead needs one request. */
  readonly #opened = new Set<string>();

  constructor(db: Db, limits: WormLimits, clock: Clock, rotator: SegmentRotator) {
    this.#rotator = rotator;
    this.#rows = db.collection<SegmentRow>('worm_segments');
    this.#limits = limits;
    this.#clock = clock;
  }

  async prepare(): Promise<void> {
    await this.#rows.createIndex({ log_id: 1, quarter: 1, number: 1 });
  }

  quarter(): string {
    return quarterOf(this.#clock.nowMs());
  }

  /** Lists all segments of a log, oldest first. */
  list(logId: string): Promise<SegmentRow[]> {
    return this.#rows.find({ log_id: logId }).sort({ log_id: 1, quarter: 1, number: 1 }).toArray();
  }

  /**
   * Reserves space before an insert. At most 0.80 of a segment's records and bytes is ever reserved, so a capped collection
   * never evicts. Space that a crashed process held stays unused.
   *
   * @param needed space that must fit
   * @param wanted space to reserve if available
   */
  async reserve(logId: string, needed: Omit<Room, 'segment'>, wanted: Omit<Room, 'segment'>): Promise<Room> {
    const quarter = this.quarter();
    let number = await this.#firstOpen(logId, quarter);
    for (; ; number++) {
      // Opens the next segment before this one is written to.
      await this.#open(logId, quarter, number);
      await this.#open(logId, quarter, number + 1);
      const name = segmentName(logId, quarter, number);
      if (await this.#take(name, wanted)) return { segment: name, ...wanted };
      if (await this.#take(name, needed)) return { segment: name, ...needed };
      await this.markFull(name);
    }
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  async closeEarlierQuarters(logId: string): Promise<void> {
    const options = { writeConcern: DURABLE };
    const full = this.#full();
    await this.#rows.updateMany({ log_id: logId, quarter: { $lt: this.quarter() }, state: 'OPEN' }, full, options);
    await this.#rows.updateMany({ log_id: logId, state: 'FULL', full_at: { $exists: false } }, full, options);
  }

  async freezeSeal(name: string, seal: SegmentSeal): Promise<SegmentSeal> {
    const unsealed = { _id: name, state: 'FULL' as const, seal: { $exists: false } };
    await this.#rows.updateOne(unsealed, { $set: { seal } }, { writeConcern: DURABLE });
    const row = await this.#rows.findOne({ _id: name });
    if (!row?.seal) throw new Error(`the segment ${name} cannot be sealed: it is ${row?.state ?? 'gone'}`);
    return row.seal;
  }

  /** Revokes the right to insert first; after a crash in between, sealing is retried. */
  async markSealed(name: string): Promise<void> {
    await this.#rotator.seal(name);
    const frozen = { _id: name, seal: { $exists: true } };
    await this.#rows.updateOne(frozen, { $set: { state: 'SEALED' } }, { writeConcern: DURABLE });
  }

  /** Marks a segment as DROPPED: readers skip it from now on, and the caller deletes its collection next. */
  async markDropped(name: string): Promise<void> {
    const sealed = { _id: name, state: 'SEALED' as const };
    await this.#rows.updateOne(sealed, { $set: { state: 'DROPPED' } }, { writeConcern: DURABLE });
  }

  async markGone(name: string): Promise<void> {
    const change = { $set: { dropped_at: new Date(this.#clock.nowMs()) } };
    await this.#rows.updateOne({ _id: name, state: 'DROPPED' }, change, { writeConcern: DURABLE });
  }

  /** Closes an open segment to reservations. */
  async markFull(name: string): Promise<void> {
    await this.#rows.updateOne({ _id: name, state: 'OPEN' }, this.#full(), { writeConcern: DURABLE });
  }

  #full(): { $set: { state: 'FULL'; full_at: Date } } {
    return { $set: { state: 'FULL', full_at: new Date(this.#clock.nowMs()) } };
  }

  async markIndexed(name: string): Promise<void> {
    await this.#rows.updateOne({ _id: name }, { $set: { indexed: true } }, { writeConcern: DURABLE });
  }

  async #take(name: string, room: Omit<Room, 'segment'>): Promise<boolean> {
    const row = await this.#rows.findOne({ _id: name }, { projection: { max_records: 1, size_bytes: 1 } });
    if (!row) throw new Error(`the segment ${name} has no row`);
    const capacity = capacityOf(row.max_records, row.size_bytes);
    const result = await this.#rows.updateOne(
      {
        _id: name,
        state: 'OPEN',
        reserved_records: { $lte: capacity.records - room.records },
        reserved_bytes: { $lte: capacity.bytes - room.bytes },
      },
      { $inc: { reserved_records: room.records, reserved_bytes: room.bytes } },
      { writeConcern: DURABLE },
    );
    return result.modifiedCount === 1;
  }

  async #firstOpen(logId: string, quarter: string): Promise<number> {
    const row = await this.#rows.findOne({ log_id: logId, quarter, state: 'OPEN' }, { sort: { number: 1 } });
    if (row) return row.number;
    // In a new quarter the open segments of earlier quarters become full.
    await this.#rows.updateMany({ log_id: logId, quarter: { $lt: quarter }, state: 'OPEN' }, this.#full(), {
      writeConcern: DURABLE,
    });
    const last = await this.#rows.findOne({ log_id: logId, quarter }, { sort: { number: -1 } });
    return (last?.number ?? 0) + 1;
  }

  async #open(logId: string, quarter: string, number: number): Promise<void> {
    const name = segmentName(logId, quarter, number);
    if (this.#opened.has(name)) return;
    const { segmentBytes, segmentRecords } = this.#limits;
    const standing = await this.#rows.findOne({ _id: name }, { projection: { state: 1 } });
    // A full segment is not opened to inserts again.
    if (standing === null || standing.state === 'OPEN') await this.#rotator.open(name);
    const row: SegmentRow = {
      _id: name,
      log_id: logId,
      quarter,
      number,
      size_bytes: segmentBytes,
      max_records: segmentRecords,
      reserved_records: 0,
      reserved_bytes: 0,
      state: 'OPEN',
      indexed: false,
      opened_at: new Date(this.#clock.nowMs()),
    };
    await this.#rows.insertOne(row, { writeConcern: DURABLE }).catch((error: unknown) => {
      // Another process was first: its row and its limits count.
      if (!duplicateKeyOf(error)) throw error;
    });
    this.#opened.add(name);
  }
}
