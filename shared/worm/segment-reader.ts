import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../telemetry/logger.js';
import { codeOf, isWritable, readUpTo } from './durable-files.js';
import type { RecordDocument } from './record-document.js';
import { endOf, FRAME_HEAD_BYTES, MAX_FRAME_BYTES, nextSoundFrame, readFrame } from './record-frames.js';
import { type RecordPlace, RecordPlaces } from './record-places.js';
import { PART_SUFFIX } from './segment-part.js';

/** Holds more than one whole frame of any length. */
const READ_BYTES = 4 * MAX_FRAME_BYTES;

interface PartState {
  readonly name: string;
  /** Where the next frame begins; behind it lies at most one whose writing was broken off or is under way. */
  next: number;
  /** The file's length when it was last looked at. */
  looked: number;
}

/** The records of one segment, as they lie in its parts. Files only grow, so a look reads what has come since the last one. */
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

  /** Takes note of what has come; whoever asks meanwhile waits for a look of their own. */
  async places(): Promise<RecordPlaces> {
    const before = this.#looking;
    const look = before.catch(() => undefined).then(() => this.#look());
    this.#looking = look;
    // Told to whoever waits for it; those who come later look again.
    look.catch(() => undefined);
    await look;
    return this.#places;
  }

  /** Bytes at the ends of parts that are no whole record: their writing was broken off, and nobody was told that they stand. */
  async tornBytes(): Promise<number> {
    await this.places();
    return this.#parts.reduce((sum, { next, looked }) => sum + looked - next, 0);
  }

  /** Those of these records that are there, unjudged. */
  async read(sha256s: readonly string[]): Promise<readonly RecordDocument[]> {
    const found = await this.#readPlaced(sha256s, await this.places());
    if (found !== 'MOVED') return found;
    // Somebody has changed the files beneath: what stands there now is what there is.
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
        const bytes = await readRecord(handle, sha256, place);
        if (bytes === null) return 'MOVED';
        records.push({ _id: sha256, bytes });
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
    // A part that is gone or shorter: places of before mean nothing any more.
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

  /** @returns false when the part is shorter than it was. */
  async #lookAt(part: number): Promise<boolean> {
    const state = this.#parts[part];
    if (state === undefined) return true;
    const handle = await open(join(this.#folder, state.name), 'r');
    try {
      const { size, mode } = await handle.stat();
      if (size < state.looked) return false;
      // What no writer can complete any more is damage, and not a frame under way.
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
      // A whole frame fits what was read: none was found, so none stands there.
      if (taken === 0 && !(await this.#skipDamage(state, handle, size))) break;
    }
    state.looked = size;
  }

  /** @returns how many bytes hold whole frames, or damage that sound frames follow. */
  #takeFrames(part: number, buffer: Buffer, from: number, isAll: boolean): number {
    let at = 0;
    for (;;) {
      const read = readFrame(buffer, at);
      if (read === 'CUT' && !isAll) return at;
      const frame = read === 'NONE' || read === 'CUT' ? nextSoundFrame(buffer, at) : read;
      if (frame === null) return at;
      if (frame.at - FRAME_HEAD_BYTES > at) this.#tellDamage(part, from + at);
      this.#places.add(frame.sha256, { part, at: from + frame.at, length: frame.length });
      at = endOf(frame);
    }
  }

  /** Passes over a stretch without a sound frame. @returns whether there is more to read behind it. */
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

async function readRecord(handle: FileHandle, sha256: string, { at, length }: RecordPlace): Promise<Buffer | null> {
  const frame = await readUpTo(handle, at - FRAME_HEAD_BYTES, FRAME_HEAD_BYTES + length + 1);
  const read = readFrame(frame, 0);
  if (read === 'CUT' || read === 'NONE' || read.sha256 !== sha256 || read.length !== length) return null;
  return frame.subarray(FRAME_HEAD_BYTES, FRAME_HEAD_BYTES + length);
}

/** Parts in the order of their making; a segment whose folder is gone has none. */
export async function partNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(PART_SUFFIX)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
