import { access, open } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, isWritable, OPEN_FILE_MODE, syncFolder, writeWhole } from '../durable-files.js';

/** File in the folder of a sealed segment. */
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
 * The file of one process in one segment, created with O_EXCL; no other process appends to it. Frames that arrive during a
 * write share the next write and its sync.
 */
export class SegmentPart {
  readonly #folder: string;
  readonly #nextName: () => string;
  readonly #waiting: Waiting[] = [];
  #writing = false;
  /** The file and its acknowledged length; null before the first frame and after a failure. */
  #file: PartFile | null = null;

  /** @param nextName returns a unique name */
  constructor(folder: string, nextName: () => string) {
    this.#folder = folder;
    this.#nextName = nextName;
  }

  /** Appends frames; they are durable when it resolves. */
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
        // The end of the file is now undefined, so no write follows it.
        this.#file = null;
        for (const { reject } of group) reject(error);
      }
    }
    this.#writing = false;
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#file ??= await this.#create();
    if (await this.#append(this.#file, bytes)) return;
    // Another process changed the file: readers use it as it is, and no write follows.
    this.#file = await this.#create();
    if (!(await this.#append(this.#file, bytes))) throw new Error('a part of a segment changes while it is written');
  }

  /** @returns false if the file changed since the last append */
  async #append(file: PartFile, bytes: Buffer): Promise<boolean> {
    // Opens the file for each write, because a process may hold segments of thousands of tenants.
    const handle = await open(file.path, 'r+').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    });
    if (handle === null) return false;
    try {
      const { size, mode } = await handle.stat();
      // Checks the mode explicitly, because a superuser bypasses it.
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
