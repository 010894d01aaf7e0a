import { chmod, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { problem } from '../../errors/problem.js';
import type { Ids } from '../../ids/ids.js';
import type { Logger } from '../../telemetry/logger.js';
import {
  codeOf,
  makeFolder,
  messageOf,
  OPEN_FOLDER_MODE,
  pathIn,
  SEALED_FILE_MODE,
  SEALED_FOLDER_MODE,
  syncFolder,
  writeSealedFile,
} from '../durable-files.js';
import { SEALED_MARK, SegmentPart } from '../segments/part.js';
import { partNames, SegmentReader } from '../segments/reader.js';
import type { SegmentRotator } from '../segments/rotator.js';
import type { WormRecord } from '../worm-store.js';
import type { RecordDocument } from './document.js';
import { frameOf } from './frames.js';
import type { RecordMedium } from './medium.js';

/** Limit of cached places over all segments, about 60 bytes each; evicts the least recently used segment first. */
const PLACES_KEPT = 3_000_000;
/** Limit of cached segments; a new one costs a folder and a first scan. */
const SEGMENTS_KEPT = 1_000;

interface FileRecordsDeps {
  readonly folder: string;
  readonly ids: Ids;
  readonly logger: Logger;
}

/**
 * Stores segments as folders of files. Each writing process has its own part in a segment, so processes share a segment
 * without touching each other's bytes. The directory has divided the space among them before.
 */
export class FileRecords implements RecordMedium, SegmentRotator {
  readonly #deps: FileRecordsDeps;
  readonly #writers = new Map<string, SegmentPart>();
  /** In order of use, the most recent last. */
  readonly #readers = new Map<string, SegmentReader>();

  constructor(deps: FileRecordsDeps) {
    this.#deps = deps;
  }

  async open(segment: string): Promise<void> {
    const folder = this.#folderOf(segment);
    if (await makeFolder(folder)) return;
    if (!(await stat(folder)).isDirectory()) throw new Error(`${segment} exists and is no folder`);
    // The process that made it may have ended before the name was durable.
    await syncFolder(dirname(folder));
  }

  /** Seals a segment; idempotent. Writes the mark first, because no process starts a part after it. */
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
      throw problem('UNAVAILABLE', { internal: `a segment cannot be written to: ${messageOf(error)}` });
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
      // Files in a read-only folder cannot be deleted.
      await chmod(folder, OPEN_FOLDER_MODE);
      for (const name of await readdir(folder)) await rm(join(folder, name));
      await rm(folder, { recursive: true });
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    await syncFolder(dirname(folder));
  }

  #newWriter(segment: string): SegmentPart {
    // A tenant writes into one segment at a time, so the oldest writer can be dropped.
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
