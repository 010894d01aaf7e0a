import { access, open } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, isWritable, OPEN_FILE_MODE, syncFolder, writeWhole } from './durable-files.js';

/** Stands in the folder of a segment that takes no more. */
export const SEALED_MARK = 'sealed';
export const PART_SUFFIX = '.part';

interface Waiting {
  readonly frames: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface PartFile {
  readonly path: string;
  size: number;
}

/**
 * What one process writes into one segment: a file of its own, made with O_EXCL, that no other process appends to. Frames
 * that come while a write is under way share the next one, and its wait for the disk.
 */
export class SegmentPart {
  readonly #folder: string;
  readonly #nextName: () => string;
  readonly #waiting: Waiting[] = [];
  #writing = false;
  /** The file of this part and how long it is by what was acknowledged; null before the first frame, and after a failure. */
  #file: PartFile | null = null;

  /** @param nextName gives names that nobody else gives. */
  constructor(folder: string, nextName: () => string) {
    this.#folder = folder;
    this.#nextName = nextName;
  }

  /** Durable when it resolves. */
  append(frames: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ frames, resolve, reject });
      if (!this.#writing) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      try {
        await this.#write(Buffer.concat(group.map(({ frames }) => frames)));
        for (const { resolve } of group) resolve();
      } catch (error) {
        // What lies at the end of the file now is nobody's: nothing is ever written behind it.
        this.#file = null;
        for (const { reject } of group) reject(error);
      }
    }
    this.#writing = false;
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#file ??= await this.#create();
    if (await this.#append(this.#file, bytes)) return;
    // Somebody was at the file: what lies there is read as it is, and nothing is written behind it.
    this.#file = await this.#create();
    if (!(await this.#append(this.#file, bytes))) throw new Error('a part of a segment changes while it is written');
  }

  /** @returns false for a part that is not as it was left. */
  async #append(file: PartFile, bytes: Buffer): Promise<boolean> {
    // Opened for each write: a process may have segments of thousands of tenants in hand.
    const handle = await open(file.path, 'r+').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    });
    if (handle === null) return false;
    try {
      const { size, mode } = await handle.stat();
      // Asked for as well, since file modes mean nothing to a superuser.
      if (!isWritable(mode)) throw new Error('the segment is sealed: nothing is added to it');
      if (size !== file.size) return false;
      await writeWhole(handle, bytes, size);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    file.size += bytes.length;
    return true;
  }

  async #create(): Promise<PartFile> {
    if (await exists(join(this.#folder, SEALED_MARK))) throw new Error('the segment is sealed: nothing is added to it');
    const path = join(this.#folder, `${this.#nextName()}${PART_SUFFIX}`);
    const handle = await open(path, 'wx', OPEN_FILE_MODE);
    await handle.close();
    await syncFolder(this.#folder);
    return { path, size: 0 };
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
