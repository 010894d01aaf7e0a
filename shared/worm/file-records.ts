import { chmod, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { problem } from '../errors/problem.js';
import type { Ids } from '../ids/ids.js';
import type { Logger } from '../telemetry/logger.js';
import {
  codeOf,
  makeFolder,
  OPEN_FOLDER_MODE,
  pathIn,
  SEALED_FILE_MODE,
  SEALED_FOLDER_MODE,
  syncFolder,
  writeSealedFile,
} from './durable-files.js';
import type { RecordDocument } from './record-document.js';
import { frameOf } from './record-frames.js';
import type { RecordMedium } from './record-medium.js';
import { SEALED_MARK, SegmentPart } from './segment-part.js';
import { partNames, SegmentReader } from './segment-reader.js';
import type { SegmentRotator } from './segment-rotator.js';
import type { WormRecord } from './worm-store.js';

/** Places that are kept in memory over all segments, about 60 bytes each; those of a segment last used longest ago go first. */
const PLACES_KEPT = 3_000_000;
/** A segment's folder and its first look cost something; those hardly used are let go of beyond so many. */
const SEGMENTS_KEPT = 1_000;

export interface FileRecordsDeps {
  readonly folder: string;
  readonly ids: Ids;
  readonly logger: Logger;
}

/**
 * Segments as folders of files. Each process that writes into a segment has a part of its own there, so that several on one
 * machine share a segment without touching each other's bytes; the directory has parted the room among them before.
 */
export class FileRecords implements RecordMedium, SegmentRotator {
  readonly #deps: FileRecordsDeps;
  readonly #writers = new Map<string, SegmentPart>();
  /** The one used last stands at the end. */
  readonly #readers = new Map<string, SegmentReader>();

  constructor(deps: FileRecordsDeps) {
    this.#deps = deps;
  }

  async open(segment: string): Promise<void> {
    const folder = this.#folderOf(segment);
    if (await makeFolder(folder)) return;
    if (!(await stat(folder)).isDirectory()) throw new Error(`${segment} exists and is no folder`);
    // Made by a process that may have ended before its name was durable.
    await syncFolder(dirname(folder));
  }

  /** Done again it changes nothing: the mark first, since from there on nobody begins a part. */
  async seal(segment: string): Promise<void> {
    const folder = this.#folderOf(segment);
    const torn = await this.#reader(segment).tornBytes();
    if (torn > 0)
      this.#deps.logger.warn({ segment, torn }, 'a segment is sealed with bytes that were never acknowledged');
    await writeSealedFile(join(folder, SEALED_MARK), Buffer.alloc(0)).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    for (const part of await partNames(folder)) await chmod(join(folder, part), SEALED_FILE_MODE);
    await chmod(folder, SEALED_FOLDER_MODE);
    await syncFolder(folder);
    this.#writers.delete(segment);
  }

  async insert(segment: string, records: readonly WormRecord[]): Promise<void> {
    const writer = this.#writers.get(segment) ?? this.#newWriter(segment);
    try {
      await writer.append(Buffer.concat(records.map(frameOf)));
    } catch (error) {
      throw problem('UNAVAILABLE', { internal: `a segment cannot be written to: ${(error as Error).message}` });
    }
  }

  async find(segment: string, sha256s: readonly string[]): Promise<readonly RecordDocument[]> {
    return this.#reader(segment).read(sha256s);
  }

  async present(segment: string, sha256s: readonly string[]): Promise<readonly string[]> {
    const places = await this.#reader(segment).places();
    return sha256s.filter((sha256) => places.find(sha256) !== null);
  }

  async records(segment: string, after: string | null, limit: number): Promise<readonly RecordDocument[]> {
    const reader = this.#reader(segment);
    return reader.read((await reader.places()).after(after, limit));
  }

  async names(segment: string, after: string | null, limit: number): Promise<readonly string[]> {
    return (await this.#reader(segment).places()).after(after, limit);
  }

  async *inOrder(segment: string): AsyncGenerator<string> {
    yield* (await this.#reader(segment).places()).all();
  }

  async drop(segment: string): Promise<void> {
    const folder = this.#folderOf(segment);
    this.#readers.delete(segment);
    try {
      // A folder for reading only does not let its files go.
      await chmod(folder, OPEN_FOLDER_MODE);
      for (const name of await readdir(folder)) await rm(join(folder, name));
      await rm(folder, { recursive: true });
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    await syncFolder(dirname(folder));
  }

  #newWriter(segment: string): SegmentPart {
    // A tenant writes into one segment at a time: what was written to before is let go of.
    if (this.#writers.size >= SEGMENTS_KEPT) this.#forgetOldest(this.#writers);
    const writer = new SegmentPart(this.#folderOf(segment), () => this.#deps.ids.next('blob'));
    this.#writers.set(segment, writer);
    return writer;
  }

  #reader(segment: string): SegmentReader {
    const reader = this.#readers.get(segment) ?? new SegmentReader(this.#folderOf(segment), segment, this.#deps.logger);
    this.#readers.delete(segment);
    this.#readers.set(segment, reader);
    let kept = 0;
    for (const { size } of this.#readers.values()) kept += size;
    for (const [name, { size }] of this.#readers) {
      if (name === segment || (kept <= PLACES_KEPT && this.#readers.size <= SEGMENTS_KEPT)) break;
      this.#readers.delete(name);
      kept -= size;
    }
    return reader;
  }

  #forgetOldest(held: Map<string, unknown>): void {
    const [oldest] = held.keys();
    if (oldest !== undefined) held.delete(oldest);
  }

  #folderOf(segment: string): string {
    return pathIn(this.#deps.folder, segment);
  }
}
