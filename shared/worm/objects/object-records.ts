import { problem } from '../../errors/problem.js';
import type { Ids } from '../../ids/ids.js';
import { WritesInFlight } from '../blobs/in-flight.js';
import { crypted, objectKey } from '../keys/content-cipher.js';
import type { ContentKeys } from '../keys/content-keys.js';
import type { RecordDocument } from '../records/document.js';
import { FRAME_HEAD_BYTES, frameOf } from '../records/frames.js';
import type { RecordMedium } from '../records/medium.js';
import type { SegmentRotator } from '../segments/rotator.js';
import type { WormRecord } from '../worm-store.js';
import type { Bucket } from './bucket.js';
import { ObjectGroups } from './object-groups.js';
import { readRecords } from './read-records.js';
import type { ObjectPlace, RecordPlaceRows } from './record-places.js';

/** Requests of one read that run at the same time. */
const READS_IN_FLIGHT = 16;
/** Limit of segments with a kept writer; a tenant writes into one at a time. */
const WRITERS_KEPT = 1_000;

interface ObjectRecordsDeps {
  readonly bucket: Bucket;
  readonly keys: ContentKeys;
  readonly places: RecordPlaceRows;
  readonly ids: Ids;
  readonly gatherMs: number;
}

const folderOf = (segment: string): string => `segments/${segment}/`;

/**
 * Stores the records of segments in a bucket. Objects cannot be appended to, so each group of records is a separate object:
 * frames as in a file (records/frames.ts), encrypted under the key of the segment. Rows of the database hold the places.
 */
export class ObjectRecords implements RecordMedium, SegmentRotator {
  readonly #deps: ObjectRecordsDeps;
  readonly #writers = new Map<string, ObjectGroups<WormRecord>>();

  constructor(deps: ObjectRecordsDeps) {
    this.#deps = deps;
  }

  async open(segment: string): Promise<void> {
    await this.#deps.keys.ensure(segment);
  }

  async seal(segment: string): Promise<void> {
    await this.#deps.keys.seal(segment);
    this.#writers.delete(segment);
  }

  async insert(segment: string, records: readonly WormRecord[]): Promise<void> {
    const writer = this.#writers.get(segment) ?? this.#newWriter(segment);
    const stored = records.map((record) => writer.add(record, record.bytes.length));
    // Waits for all, so that no write of this call runs on after it failed.
    const failed = (await Promise.allSettled(stored)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async find(segment: string, sha256s: readonly string[]): Promise<readonly RecordDocument[]> {
    return this.#readAll(segment, await this.#deps.places.find(segment, sha256s));
  }

  /** Checks also that the objects exist: a row alone proves nothing. */
  async present(segment: string, sha256s: readonly string[]): Promise<readonly string[]> {
    const places = await this.#deps.places.find(segment, sha256s);
    const parts = new Set(places.map(({ part }) => part));
    const found = new Set<string>();
    const heads = new WritesInFlight(READS_IN_FLIGHT);
    for (const part of parts) {
      await heads.add(async () => {
        if (await this.#deps.bucket.exists(folderOf(segment) + part)) found.add(part);
      });
    }
    await heads.done();
    return places.filter(({ part }) => found.has(part)).map(({ sha256 }) => sha256);
  }

  /** Skips places without a record, so that a lost object does not end a walk. */
  async records(segment: string, after: string | null, limit: number): Promise<readonly RecordDocument[]> {
    const records: RecordDocument[] = [];
    for (let last = after; records.length < limit; ) {
      const wanted = limit - records.length;
      const places = await this.#deps.places.after(segment, last, wanted);
      records.push(...(await this.#readAll(segment, places)));
      if (places.length < wanted) break;
      last = places.at(-1)?.sha256 ?? last;
    }
    return records;
  }

  async names(segment: string, after: string | null, limit: number): Promise<readonly string[]> {
    return (await this.#deps.places.after(segment, after, limit)).map(({ sha256 }) => sha256);
  }

  inOrder(segment: string): AsyncIterable<string> {
    return this.#deps.places.inOrder(segment);
  }

  /** Returns the object of each record that the segment holds. */
  async objectsOf(segment: string, sha256s: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const places = await this.#deps.places.find(segment, sha256s);
    return new Map(places.map(({ sha256, part }) => [sha256, folderOf(segment) + part]));
  }

  /** Destroys the key first: the locked objects stay until their terms end, unreadable. */
  async drop(segment: string): Promise<void> {
    const { bucket, keys, places } = this.#deps;
    await keys.destroy(segment);
    const parts: string[] = [];
    for await (const name of bucket.names(folderOf(segment))) parts.push(name);
    await bucket.conceal(parts);
    await places.drop(segment);
    await keys.forget(segment);
  }

  #newWriter(segment: string): ObjectGroups<WormRecord> {
    if (this.#writers.size >= WRITERS_KEPT) {
      for (const [name, { isIdle }] of this.#writers) if (isIdle) this.#writers.delete(name);
    }
    const writer = new ObjectGroups<WormRecord>((group) => this.#store(segment, group), this.#deps.gatherMs);
    this.#writers.set(segment, writer);
    return writer;
  }

  /** Stores the object, then its places: a place without an object would count as a stored record. */
  async #store(segment: string, records: readonly WormRecord[]): Promise<void> {
    const { bucket, keys, places, ids } = this.#deps;
    const key = await keys.findOpen(segment);
    if (key === null) throw problem('UNAVAILABLE', { internal: `the segment ${segment} is sealed or has no key` });
    const part = `${ids.next('blob')}.part`;
    const name = folderOf(segment) + part;
    const rows: ObjectPlace[] = [];
    const frames: Buffer[] = [];
    let end = 0;
    for (const record of records) {
      const frame = frameOf(record);
      rows.push({ sha256: record.sha256, part, at: end + FRAME_HEAD_BYTES, length: record.bytes.length });
      frames.push(frame);
      end += frame.length;
    }
    await bucket.put(name, crypted(objectKey(key, name), 0, Buffer.concat(frames)));
    await places.add(segment, rows);
  }

  /** @returns the records in order of hashes; those that the bucket no longer has are missing */
  async #readAll(segment: string, places: readonly ObjectPlace[]): Promise<readonly RecordDocument[]> {
    const key = places.length === 0 ? null : await this.#deps.keys.find(segment);
    if (key === null) return [];
    const byPart = new Map<string, ObjectPlace[]>();
    for (const place of places) {
      const known = byPart.get(place.part);
      if (known === undefined) byPart.set(place.part, [place]);
      else known.push(place);
    }
    const found = new Map<string, RecordDocument>();
    const reads = new WritesInFlight(READS_IN_FLIGHT);
    for (const [part, wanted] of byPart) {
      const name = folderOf(segment) + part;
      await reads.add(async () => {
        for (const record of await readRecords(this.#deps.bucket, name, objectKey(key, name), wanted)) {
          found.set(record._id, record);
        }
      });
    }
    await reads.done();
    return places.flatMap(({ sha256 }) => found.get(sha256) ?? []);
  }
}
