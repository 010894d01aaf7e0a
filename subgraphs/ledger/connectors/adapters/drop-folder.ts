import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../../shared/worm/durable-files.js';
import { type ClaimedFile, ConnectorFailure, type DropFolder, type OpenDropFolder, type SeenFile } from '../ports.js';

// <base>/<tenant>/<folder>/: senders drop files here under any name without a leading dot. Files move through
// processing/ into done/ or failed/; answers are in out/. Every folder must be a real one: links, which could lead
// outside, are rejected, and files are opened without following links.

const ROOMS = ['processing', 'done', 'failed', 'out'] as const;
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** Senders write under these names until a file is complete. */
const UNFINISHED_NAME = /\.(?:tmp|part|partial|filepart|crdownload|lock)$/i;

export const openDropFolder: OpenDropFolder = async ({ base, tenantId, folder }) => {
  try {
    // The base may be a link: the operator chose it.
    await mkdir(base, { recursive: true });
    let path = await realpath(base);
    for (const name of [tenantId, folder]) {
      if (!SAFE_NAME.test(name))
        throw new ConnectorFailure('BAD_NAME', 'The folder name contains characters that are not allowed.');
      path = await realFolder(join(path, name));
    }
    for (const room of ROOMS) await realFolder(join(path, room));
    return new FileDropFolder(path);
  } catch (error) {
    throw asFailure(error);
  }
};

async function realFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: false, mode: 0o770 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  if (!(await lstat(path)).isDirectory()) {
    throw new ConnectorFailure('NOT_A_FOLDER', 'A link or a file is in the place of a folder.');
  }
  return path;
}

const asFailure = (error: unknown): ConnectorFailure =>
  error instanceof ConnectorFailure
    ? error
    : new ConnectorFailure(String(codeOf(error) ?? 'FOLDER'), 'The folder is not usable.');

class FileDropFolder implements DropFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async list(): Promise<readonly SeenFile[]> {
    const seen: SeenFile[] = [];
    for (const name of await this.#names('')) {
      if (name.startsWith('.') || UNFINISHED_NAME.test(name)) continue;
      const found = await lstat(join(this.#path, name)).catch(gone);
      if (found?.isFile()) seen.push({ name, sizeBytes: found.size, modifiedMs: found.mtimeMs });
    }
    return seen;
  }

  async claim(name: string, claimId: string): Promise<ClaimedFile | null> {
    // Includes the claim id, so that no two files collide; drops unusual characters of the name.
    const claimed = `${claimId}-${name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 90)}`;
    try {
      await rename(join(this.#path, name), join(this.#path, 'processing', claimed));
    } catch (error) {
      if (gone(error) === null) return null;
      throw asFailure(error);
    }
    await this.#keepNames('processing');
    return this.#claimed(claimed);
  }

  async unfinished(): Promise<readonly ClaimedFile[]> {
    const files: ClaimedFile[] = [];
    for (const name of await this.#names('processing')) {
      const file = await this.#claimed(name);
      if (file) files.push(file);
    }
    return files;
  }

  async writeAnswer({ name }: Pick<ClaimedFile, 'name'>, extension: string, text: string): Promise<void> {
    const path = join(this.#path, 'out', `${name}.${extension}`);
    const draft = join(this.#path, 'out', `.${name}.${extension}.tmp`);
    // Never writes into a draft that a crash left, or into a link.
    await unlink(draft).catch(gone);
    const file = await open(
      draft,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o660,
    );
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    await this.#keepNames('out');
  }

  async finish({ name }: Pick<ClaimedFile, 'name'>, into: 'done' | 'failed'): Promise<void> {
    await rename(join(this.#path, 'processing', name), join(this.#path, into, name)).catch((error) => {
      if (gone(error) !== null) throw error;
    });
    await this.#keepNames(into);
  }

  async #names(room: string): Promise<string[]> {
    return (await readdir(join(this.#path, room)).catch((error: unknown) => Promise.reject(asFailure(error)))).sort();
  }

  async #claimed(name: string): Promise<ClaimedFile | null> {
    const path = join(this.#path, 'processing', name);
    const found = await lstat(path).catch(gone);
    return found?.isFile() ? { name, sizeBytes: found.size, read: () => bytesOf(path) } : null;
  }

  /** A name is durable once its folder is synced. */
  async #keepNames(room: string): Promise<void> {
    const folder = await open(join(this.#path, room), constants.O_RDONLY);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

/** Null for a missing file. */
function gone(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

const CHUNK_BYTES = 256 * 1024;

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (!(await file.stat()).isFile()) throw new ConnectorFailure('NOT_A_FILE', 'It is not a regular file.');
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
