import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../telemetry/logger.js';
import { codeOf, isWritable, readUpTo } from '../durable-files.js';
import type { RecordDocument } from '../records/document.js';
import {
  FRAME_HEAD_BYTES,
  MAX_FRAME_BYTES,
  MAX_FRAME_TAIL_BYTES,
  nextSoundFrame,
  readFrame,
} from '../records/frames.js';
import { type RecordPlace, RecordPlaces } from '../records/places.js';
import { PART_SUFFIX } from './part.js';

/** More than the longest frame. */
const READ_BYTES = 4 * MAX_FRAME_BYTES;

interface PartState {
  readonly name: string;
  /** Offset of the next frame; at most one incomplete frame follows. */
  next: number;
  /** Length of the file at the last scan. */
  looked: number;
}

/** Reads the records of one segment from its parts. Files only grow, so a scan reads only the bytes after the last scan. */
export class SegmentReader {
  readonly #segment: string;
  readonly #folder: string;
  readonly #logger: Logger;
  #parts: PartState[] = [];
  #places = new RecordPlaces();
  #looking: Promise<void> = Promise.resolve();

  constructor(folder: string, segment: string, logger: Logger) {
    this.#folder = folder;
    this.#segment = segment;
    this.#logger = logger;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Scans the new bytes and returns the places; a call during a scan waits for another scan. */
  async places(): Promise<RecordPlaces> {
    const before = this.#looking;
    const look = before.catch(() => undefined).then(() => this.#look());
    this.#looking = look;
    // The waiting caller gets the error; later callers scan again.
    look.catch(() => undefined);
    await look;
    return this.#places;
  }

  /** Returns the number of bytes at the ends of parts that are not a whole record: unacknowledged interrupted writes. */
  async tornBytes(): Promise<number> {
    await this.places();
    return this.#parts.reduce((sum, { next, looked }) => sum + looked - next, 0);
  }

  /** Returns the records that the segment holds, without verification. */
  async read(sha256s: readonly string[]): Promise<readonly RecordDocument[]> {
    const found = await this.#readPlaced(sha256s, await this.places());
    if (found !== 'MOVED') return found;
    // The files were changed from outside: rescan them from the beginning.
    this.#forget();
    const again = await this.#readPlaced(sha256s, await this.places());
    return again === 'MOVED' ? [] : again;
  }

  async #readPlaced(sha256s: readonly string[], places: RecordPlaces): Promise<readonly RecordDocument[] | 'MOVED'> {
    const handles = new Map<number, FileHandle>();
    const records: RecordDocument[] = [];
    try {
      for (const sha256 of sha256s) {
        const place = places.find(sha256);
        if (place === null) continue;
        const handle = handles.get(place.part) ?? (await open(this.#pathOf(place.part), 'r'));
        handles.set(place.part, handle);
        const record = await readRecord(handle, sha256, place);
        if (record === null) return 'MOVED';
        records.push(record);
      }
      return records;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return 'MOVED';
      throw error;
    } finally {
      for (const handle of handles.values()) await handle.close();
    }
  }

  #pathOf(part: number): string {
    return join(this.#folder, this.#parts[part]?.name ?? '');
  }

  #forget(): void {
    this.#parts = [];
    this.#places = new RecordPlaces();
  }

  async #look(): Promise<void> {
    const names = await partNames(this.#folder);
    // If a part is missing or shorter, the known places are invalid.
    if (this.#parts.some(({ name }) => !names.includes(name))) this.#forget();
    for (const name of names) {
      if (!this.#parts.some((part) => part.name === name)) this.#parts.push({ name, next: 0, looked: 0 });
    }
    for (let part = 0; part < this.#parts.length; part++) {
      if (await this.#lookAt(part)) continue;
      this.#forget();
      return this.#look();
    }
  }

  /** @returns false if the part is shorter than before */
  async #lookAt(part: number): Promise<boolean> {
    const state = this.#parts[part];
    if (state === undefined) return true;
    const handle = await open(join(this.#folder, state.name), 'r');
    try {
      const { size, mode } = await handle.stat();
      if (size < state.looked) return false;
      // An incomplete frame that no writer can complete is damage.
      if (size > state.looked) await this.#take(part, state, handle, size, !isWritable(mode));
      return true;
    } finally {
      await handle.close();
    }
  }

  async #take(part: number, state: PartState, handle: FileHandle, size: number, atRest: boolean): Promise<void> {
    for (;;) {
      const from = state.next;
      const buffer = await readUpTo(handle, from, Math.min(READ_BYTES, size - from));
      const isEnd = from + buffer.length >= size;
      const taken = this.#takeFrames(part, buffer, from, isEnd && atRest);
      state.next = from + taken;
      if (isEnd || buffer.length === 0) break;
      // The buffer is longer than any frame, so there is no frame at this offset.
      if (taken === 0 && !(await this.#skipDamage(state, handle, size))) break;
    }
    state.looked = size;
  }

  /** @returns the number of bytes in whole frames, and in damage before a sound frame */
  #takeFrames(part: number, buffer: Buffer, from: number, isAll: boolean): number {
    let at = 0;
    for (;;) {
      const read = readFrame(buffer, at);
      if (read === 'CUT' && !isAll) return at;
      const frame = read === 'NONE' || read === 'CUT' ? nextSoundFrame(buffer, at) : read;
      if (frame === null) return at;
      if (frame.at - FRAME_HEAD_BYTES > at) this.#tellDamage(part, from + at);
      this.#places.add(frame.sha256, { part, at: from + frame.at, length: frame.length });
      at = frame.end;
    }
  }

  /** Skips bytes without a sound frame. @returns true if a sound frame follows */
  async #skipDamage(state: PartState, handle: FileHandle, size: number): Promise<boolean> {
    for (let at = state.next; at < size; at += READ_BYTES - MAX_FRAME_BYTES) {
      const buffer = await readUpTo(handle, at, READ_BYTES);
      const frame = nextSoundFrame(buffer, 0);
      if (frame === null) continue;
      this.#tellDamage(this.#parts.indexOf(state), state.next);
      state.next = at + frame.at - FRAME_HEAD_BYTES;
      return true;
    }
    return false;
  }

  #tellDamage(part: number, at: number): void {
    const detail = { segment: this.#segment, part: this.#parts[part]?.name, at };
    this.#logger.warn(detail, 'a part of a segment holds bytes that are no record');
  }
}

async function readRecord(
  handle: FileHandle,
  sha256: string,
  { at, length }: RecordPlace,
): Promise<RecordDocument | null> {
  const frame = await readUpTo(handle, at - FRAME_HEAD_BYTES, FRAME_HEAD_BYTES + length + MAX_FRAME_TAIL_BYTES);
  const read = readFrame(frame, 0);
  if (read === 'CUT' || read === 'NONE' || read.sha256 !== sha256 || read.length !== length) return null;
  const bytes = frame.subarray(FRAME_HEAD_BYTES, FRAME_HEAD_BYTES + length);
  return { _id: sha256, bytes, ...(read.seed === undefined ? {} : { seed: read.seed }) };
}

/** Lists the parts in order of creation; returns none if the folder is missing. */
export async function partNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(PART_SUFFIX)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
