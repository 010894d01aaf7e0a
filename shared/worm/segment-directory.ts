import type { Collection, Db } from 'mongodb';
import type { Clock } from '../clock/clock.js';
import type { WormLimits } from '../config/config.js';
import { DURABLE } from '../db/database.js';
import { duplicateKeyOf } from '../db/duplicate-key.js';
import { capacityOf, quarterOf, segmentName } from './segment-names.js';

/**
 * A row of `worm_segments`. `SEALED` comes with the sealing entries of evidence.md section 4; until then a segment that
 * takes no more is FULL.
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
  readonly state: 'OPEN' | 'FULL';
  /** True when every record of a FULL segment stands in `worm_index`. */
  readonly indexed: boolean;
  readonly opened_at: Date;
}

export interface Room {
  readonly segment: string;
  readonly records: number;
  readonly bytes: number;
}

const NAMESPACE_EXISTS = 48;

/** The list of segments, and the one place where room in them is given out. */
export class SegmentDirectory {
  readonly #db: Db;
  readonly #rows: Collection<SegmentRow>;
  readonly #limits: WormLimits;
  readonly #clock: Clock;
  /** Segments that this process knows to exist, so that opening one ahead asks the server once. */
  readonly #opened = new Set<string>();

  constructor(db: Db, limits: WormLimits, clock: Clock) {
    this.#db = db;
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
      await this.#rows.updateOne({ _id: name, state: 'OPEN' }, { $set: { state: 'FULL' } }, { writeConcern: DURABLE });
    }
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
    await this.#rows.updateMany(
      { log_id: logId, quarter: { $lt: quarter }, state: 'OPEN' },
      { $set: { state: 'FULL' } },
      { writeConcern: DURABLE },
    );
    const last = await this.#rows.findOne({ log_id: logId, quarter }, { sort: { number: -1 } });
    return (last?.number ?? 0) + 1;
  }

  async #open(logId: string, quarter: string, number: number): Promise<void> {
    const name = segmentName(logId, quarter, number);
    if (this.#opened.has(name)) return;
    const { segmentBytes, segmentRecords } = this.#limits;
    await this.#createCapped(name);
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

  async #createCapped(name: string): Promise<void> {
    const { segmentBytes, segmentRecords } = this.#limits;
    try {
      await this.#db.createCollection(name, { capped: true, size: segmentBytes, max: segmentRecords });
    } catch (error) {
      if ((error as { code?: unknown }).code !== NAMESPACE_EXISTS) throw error;
      const [found] = await this.#db.listCollections({ name }, { nameOnly: false }).toArray();
      const options = (found as { options?: { capped?: unknown } } | undefined)?.options;
      if (options?.capped !== true) throw new Error(`the collection ${name} exists and is not capped`);
    }
  }
}
