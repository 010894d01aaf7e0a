import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { problem } from '../../errors/problem.js';
import {
  codeOf,
  makeFolder,
  messageOf,
  OPEN_FILE_MODE,
  pathIn,
  readUpTo,
  SEALED_FILE_MODE,
  syncFolder,
  writeSealedFile,
  writeWhole,
} from '../durable-files.js';
import { BLOB_BLOCK_BYTES } from '../worm-store.js';
import type { BlobDriver, DriverUpload, StoredBlock } from './medium.js';

/** Prefix and six time characters of an id: a folder holds the files of 17 minutes. */
const BUCKET_CHARS = 'blb_'.length + 6;

const bucketOf = (fileId: string): string => fileId.slice(0, BUCKET_CHARS);

/** Stores each large content as a file under its own id. Creates it with O_EXCL and makes it read-only when complete. */
export class FileBlobs implements BlobDriver {
  readonly #folder: string;
  /** Folders that this process knows to be durable. */
  readonly #made = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async prepare(): Promise<void> {
    await makeFolder(this.#folder);
  }

  room(): Buffer<ArrayBuffer> {
    return Buffer.allocUnsafe(BLOB_BLOCK_BYTES);
  }

  upload(fileId: string): DriverUpload {
    return new FileUpload(() => this.#pathFor(fileId), join(this.#folder, bucketOf(fileId)));
  }

  async storeSmall(files: readonly { readonly fileId: string; readonly bytes: Uint8Array }[]): Promise<void> {
    const folders = new Set(files.map(({ fileId }) => join(this.#folder, bucketOf(fileId))));
    await asUnavailable(async () => {
      await Promise.all(files.map(async ({ fileId, bytes }) => writeSealedFile(await this.#pathFor(fileId), bytes)));
      for (const folder of folders) await syncFolder(folder);
    });
  }

  async *blocks(fileId: string, first: number, last: number): AsyncGenerator<StoredBlock> {
    const handle = await openToRead(this.#pathOf(fileId));
    if (handle === null) return;
    try {
      for (let n = first; n <= last; n++) {
        const data = await readUpTo(handle, n * BLOB_BLOCK_BYTES, BLOB_BLOCK_BYTES);
        if (data.length === 0) return;
        yield { n, data };
      }
    } finally {
      await handle.close();
    }
  }

  async remove(fileId: string): Promise<void> {
    try {
      await rm(this.#pathOf(fileId));
      await syncFolder(join(this.#folder, bucketOf(fileId)));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }

  giveBack(): void {}

  async close(): Promise<void> {}

  async *files(after: string, before: string): AsyncGenerator<string> {
    const [from, to] = [bucketOf(after), bucketOf(before)];
    for (const bucket of (await readdir(this.#folder)).sort()) {
      if (bucket < from || bucket > to) continue;
      for (const fileId of (await readdir(join(this.#folder, bucket))).sort()) {
        if (fileId > after && fileId < before) yield fileId;
      }
    }
  }

  #pathOf(fileId: string): string {
    return pathIn(join(this.#folder, bucketOf(fileId)), fileId);
  }

  async #pathFor(fileId: string): Promise<string> {
    const path = this.#pathOf(fileId);
    const bucket = bucketOf(fileId);
    if (!this.#made.has(bucket)) {
      // Another process may have just made the folder: sync its name before relying on it.
      if (!(await makeFolder(join(this.#folder, bucket)))) await syncFolder(this.#folder);
      this.#made.add(bucket);
    }
    return path;
  }
}

/** Writes blocks at their offsets in one file. The bytes and the name are durable when `end` resolves. */
class FileUpload implements DriverUpload {
  readonly #pathFor: () => Promise<string>;
  readonly #folder: string;
  readonly #writes: Promise<void>[] = [];
  #handle: Promise<FileHandle> | null = null;

  constructor(pathFor: () => Promise<string>, folder: string) {
    this.#pathFor = pathFor;
    this.#folder = folder;
  }

  async block(n: number, data: Buffer): Promise<void> {
    const written = asUnavailable(async () => writeWhole(await this.#open(), data, n * BLOB_BLOCK_BYTES));
    // `end` waits for it too; until then the caller of this block handles a failure.
    written.catch(() => undefined);
    this.#writes.push(written);
    await written;
  }

  async end(sizeBytes: number): Promise<void> {
    await Promise.all(this.#writes);
    await asUnavailable(async () => {
      const handle = await this.#open();
      const { size } = await handle.stat();
      if (size !== sizeBytes) throw new Error('a stored file is not as long as its content');
      await handle.chmod(SEALED_FILE_MODE);
      await handle.sync();
      await syncFolder(this.#folder);
    });
  }

  async release(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    // If the open failed, nothing is held, and the writer already got the error.
    await handle?.then(
      (opened) => opened.close(),
      () => undefined,
    );
  }

  #open(): Promise<FileHandle> {
    this.#handle ??= this.#pathFor().then((path) => open(path, 'wx', OPEN_FILE_MODE));
    return this.#handle;
  }
}

async function openToRead(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Reports a file system error as UNAVAILABLE, because the request is not at fault. */
async function asUnavailable<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw problem('UNAVAILABLE', {
      internal: `the write-once folder cannot be written to: ${messageOf(error)}`,
    });
  }
}
