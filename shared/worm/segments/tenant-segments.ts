import { problem } from '../../errors/problem.js';
import type { RecordDocument } from '../records/document.js';
import type { RecordMedium } from '../records/medium.js';
import type { WormIndex } from '../worm-index.js';
import { MAX_RECORD_BYTES, type PutOptions, type WormRecord, type WormTenant } from '../worm-store.js';
import type { SegmentDirectory, SegmentRow } from './directory.js';
import { capacityOf, isSegmentName, RECORD_OVERHEAD_BYTES } from './names.js';

interface OwnRoom {
  segment: string;
  quarter: string;
  records: number;
  bytes: number;
  untilMs: number;
}

/** A process reserves one part in this many of a segment: one reservation for thousands of records. */
const CHUNK_SHARE = 100;
/** A reservation expires after this time, so that a full segment stops changing and can be sealed (SEAL_AFTER_MS). */
const ROOM_LIFE_MS = 10 * 60_000;

/** Stores the small records of one tenant in segments. */
export class TenantSegments {
  readonly #medium: RecordMedium;
  readonly #directory: SegmentDirectory;
  readonly #index: WormIndex;
  readonly #tenant: WormTenant;
  readonly #chunk: { readonly records: number; readonly bytes: number };
  readonly #capacity: { readonly records: number; readonly bytes: number };
  #room: OwnRoom = { segment: '', quarter: '', records: 0, bytes: 0, untilMs: 0 };
  #reserving: Promise<void> = Promise.resolve();
  #segments: readonly SegmentRow[] = [];

  constructor(
    medium: RecordMedium,
    directory: SegmentDirectory,
    index: WormIndex,
    limits: { readonly segmentRecords: number; readonly segmentBytes: number },
    tenant: WormTenant,
  ) {
    this.#medium = medium;
    this.#directory = directory;
    this.#index = index;
    this.#tenant = tenant;
    this.#capacity = capacityOf(limits.segmentRecords, limits.segmentBytes);
    this.#chunk = {
      records: Math.max(1, Math.floor(this.#capacity.records / CHUNK_SHARE)),
      bytes: Math.max(1, Math.floor(this.#capacity.bytes / CHUNK_SHARE)),
    };
  }

  async put(records: readonly WormRecord[], options: PutOptions = {}): Promise<void> {
    const absent = options.fresh === true ? records : await this.#absent(records);
    for (const part of this.#partsOf(absent)) {
      const segment = await this.#reserve(part.length, bytesOf(part));
      await this.#medium.insert(segment, part);
    }
  }

  async read(sha256s: readonly string[]): Promise<Map<string, RecordDocument>> {
    const found = new Map<string, RecordDocument>();
    await this.#search(sha256s, found, async (segment, missing) => {
      for (const record of await this.#medium.find(segment, missing)) found.set(record._id, record);
    });
    return found;
  }

  async present(sha256s: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    await this.#search(sha256s, found, async (segment, missing) => {
      for (const sha256 of await this.#medium.present(segment, missing)) found.add(sha256);
    });
    return found;
  }

  /**
   * Searches the open segments, then the segments from the index, then all segments. The index saves work and may be
   * incomplete.
   */
  async #search(
    sha256s: readonly string[],
    found: { readonly size: number; has(sha256: string): boolean },
    lookIn: (segment: string, missing: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const wanted = [...new Set(sha256s)];
    const looked = new Set<string>();
    const look = async (segments: readonly string[]): Promise<boolean> => {
      for (const segment of segments) {
        if (found.size >= wanted.length) return true;
        if (looked.has(segment)) continue;
        looked.add(segment);
        const missing = wanted.filter((sha256) => !found.has(sha256));
        await lookIn(segment, missing);
      }
      return found.size >= wanted.length;
    };
    if (await look(openNames(this.#segments))) return;
    const known = await this.#directory.list(this.#tenant.logId);
    const { logId } = this.#tenant;
    this.#segments = known.filter(({ _id, state }) => isSegmentName(_id, logId) && state !== 'DROPPED').reverse();
    this.#index.fillFrom(this.#tenant.tenantId, this.#segments);
    // A segment that is still open may have grown since the search above.
    for (const name of openNames(this.#segments)) looked.delete(name);
    if (await look(openNames(this.#segments))) return;
    const missing = wanted.filter((sha256) => !found.has(sha256));
    const indexed = await this.#index.segmentsOf(this.#tenant.tenantId, missing);
    if (await look(indexed.filter((name) => isSegmentName(name, logId)))) return;
    await look(this.#segments.map((segment) => segment._id));
  }

  async #absent(records: readonly WormRecord[]): Promise<readonly WormRecord[]> {
    const present = await this.present(records.map((record) => record.sha256));
    return records.filter((record) => !present.has(record.sha256));
  }

  /** Splits records into parts that fit one segment each. */
  #partsOf(records: readonly WormRecord[]): WormRecord[][] {
    const parts: WormRecord[][] = [];
    let part: WormRecord[] = [];
    let bytes = 0;
    for (const record of records) {
      const size = record.bytes.length + RECORD_OVERHEAD_BYTES;
      if (record.bytes.length > MAX_RECORD_BYTES || size > this.#capacity.bytes) throw problem('PAYLOAD_TOO_LARGE');
      if (part.length >= this.#capacity.records || bytes + size > this.#capacity.bytes) {
        parts.push(part);
        part = [];
        bytes = 0;
      }
      part.push(record);
      bytes += size;
    }
    if (part.length > 0) parts.push(part);
    return parts;
  }

  /** Reserves space for these records and returns the segment. */
  async #reserve(records: number, bytes: number): Promise<string> {
    for (;;) {
      const room = this.#room;
      if (room.records >= records && room.bytes >= bytes && this.#holds(room)) {
        room.records -= records;
        room.bytes -= bytes;
        return room.segment;
      }
      // One reservation at a time; waiting callers check the new space first.
      const before = this.#reserving;
      let release = (): void => {};
      this.#reserving = new Promise((resolve) => {
        release = resolve;
      });
      await before;
      try {
        if (this.#room === room) this.#room = await this.#freshRoom(records, bytes);
      } finally {
        release();
      }
    }
  }

  #holds(room: OwnRoom): boolean {
    return room.untilMs > this.#directory.nowMs() && room.quarter === this.#directory.quarter();
  }

  async #freshRoom(records: number, bytes: number): Promise<OwnRoom> {
    const needed = { records, bytes };
    const wanted = { records: Math.max(records, this.#chunk.records), bytes: Math.max(bytes, this.#chunk.bytes) };
    const taken = await this.#directory.reserve(this.#tenant.logId, needed, wanted);
    return { ...taken, quarter: this.#directory.quarter(), untilMs: this.#directory.nowMs() + ROOM_LIFE_MS };
  }
}

/** Names the open segments with reservations. Every record is reserved before the write, so the others are empty. */
const openNames = (segments: readonly SegmentRow[]): string[] =>
  segments.filter((segment) => segment.state === 'OPEN' && segment.reserved_records > 0).map((segment) => segment._id);

const bytesOf = (records: readonly WormRecord[]): number =>
  records.reduce((sum, record) => sum + record.bytes.length + RECORD_OVERHEAD_BYTES, 0);
