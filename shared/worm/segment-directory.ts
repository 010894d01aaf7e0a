import type { Collection, Db } from 'mongodb';
import type { Clock } from '../clock/clock.js';
import type { WormLimits } from '../config/config.js';
import { DURABLE } from '../db/database.js';
import { duplicateKeyOf } from '../db/duplicate-key.js';
import { capacityOf, quarterOf, segmentName } from './segment-names.js';
import type { SegmentRotator } from './segment-rotator.js';

/** What a sealed segment holds, as the sealing entry says it (evidence.md section 4); hashes in lower-case hex. */
export interface SegmentSeal {
  /** The least and the greatest hash; null in an empty segment. */
  readonly first: string | null;
  readonly last: string | null;
  readonly count: number;
  /** Of the records, without framing. */
  readonly bytes: number;
  /** RFC 6962 root over the records' hashes in ascending order: it depends on nothing but what is there. */
  readonly merkle_root: string;
  /** Of the segment before it in the same log; null for the first. */
  readonly prev_segment_root: string | null;
  readonly sealed_at: string;
  readonly signing_key_id: string;
  /** base64url of Ed25519 over the manifest. */
  readonly signature: string;
}

/**
 * A row of `worm_segments`. FULL takes no more, but what was reserved before may still arrive; SEALED rests; of a
 * DROPPED one only this row is left. The seal is frozen here before its entry is written, so that a sealing begun again after
 * a crash writes the same entry.
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
  /** True when every record of a FULL segment stands in `worm_index`. */
  readonly indexed: boolean;
  readonly opened_at: Date;
  readonly full_at?: Date;
  readonly seal?: SegmentSeal;
  /** Of a DROPPED one: since when its records are gone. */
  readonly dropped_at?: Date;
}

export interface Room {
  readonly segment: string;
  readonly records: number;
  readonly bytes: number;
}

/** The list of segments, and the one place where room in them is given out. */
export class SegmentDirectory {
  readonly #rotator: SegmentRotator;
  readonly #rows: Collection<SegmentRow>;
  readonly #limits: WormLimits;
  readonly #clock: Clock;
  /** Segments that this process knows to exist, so that opening one ahead asks the server once. */
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

  /** All segments of a log, oldest first. */
  list(logId: string): Promise<SegmentRow[]> {
    return this.#rows.find({ log_id: logId }).sort({ log_id: 1, quarter: 1, number: 1 }).toArray();
  }

  /**
   * Reserves room before anything is inserted: at most 0.80 of a segment's records and bytes is ever given out, so that
   * reaching eviction is impossible by construction. Room that a crashed process held stays unused.
   *
   * @param wanted taken where there is so much; `needed` is what must fit.
   */
  async reserve(logId: string, needed: Omit<Room, 'segment'>, wanted: Omit<Room, 'segment'>): Promise<Room> {
    const quarter = this.quarter();
    let number = await this.#firstOpen(logId, quarter);
    for (; ; number++) {
      // The next one always stands ready before this one is written to.
      await this.#open(logId, quarter, number);
      await this.#open(logId, quarter, number + 1);
      const name = segmentName(logId, quarter, number);
      if (await this.#take(name, wanted)) return { segment: name, ...wanted };
      if (await this.#take(name, needed)) return { segment: name, ...needed };
      await this.#rows.updateOne({ _id: name, state: 'OPEN' }, this.#full(), { writeConcern: DURABLE });
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

  /** The right to insert goes first: a crash in between leaves a segment whose sealing is begun again. */
  async markSealed(name: string): Promise<void> {
    await this.#rotator.seal(name);
    const frozen = { _id: name, seal: { $exists: true } };
    await this.#rows.updateOne(frozen, { $set: { state: 'SEALED' } }, { writeConcern: DURABLE });
  }

  /** From here on nobody looks into it; its collection goes next. */
  async markDropped(name: string): Promise<void> {
    const sealed = { _id: name, state: 'SEALED' as const };
    await this.#rows.updateOne(sealed, { $set: { state: 'DROPPED' } }, { writeConcern: DURABLE });
  }

  async markGone(name: string): Promise<void> {
    const change = { $set: { dropped_at: new Date(this.#clock.nowMs()) } };
    await this.#rows.updateOne({ _id: name, state: 'DROPPED' }, change, { writeConcern: DURABLE });
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
    // A new quarter: what is still open of earlier ones takes no more.
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
    // What is full by now is not opened to inserts again.
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
      // Another process was first: its row, with its limits, counts.
      if (!duplicateKeyOf(error)) throw error;
    });
    this.#opened.add(name);
  }
}
