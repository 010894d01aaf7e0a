import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ClaimedFile,
  ConnectorFailure,
  type DropFolder,
  type OpenDropFolder,
  type SeenFile,
} from '../../service/ports/connector-io.js';

// <base>/<tenant>/<folder>/: files are dropped here, under any name that does not begin with a dot, and pass through
// processing/ into done/ or failed/; answers stand in out/. Every folder on the way is a real one: a link, which could lead
// outside, is refused, and files are opened without following links.

const rooms = ['processing', 'done', 'failed', 'out'] as const;
const safeName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** Senders write under these names until a file is whole. */
const unfinishedName = /\.(?:tmp|part|partial|filepart|crdownload|lock)$/i;

export const openDropFolder: OpenDropFolder = async ({ base, tenantId, folder }) => {
  try {
    // The base itself may be reached by a link: it is the operator's own.
    await mkdir(base, { recursive: true });
    let path = await realpath(base);
    for (const name of [tenantId, folder]) {
      if (!safeName.test(name)) throw new ConnectorFailure('BAD_NAME', 'The folder has no plain name.');
      path = await realFolder(join(path, name));
    }
    for (const room of rooms) await realFolder(join(path, room));
    return new FileDropFolder(path);
  } catch (error) {
    throw asFailure(error);
  }
};

async function realFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: false, mode: 0o770 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!(await lstat(path)).isDirectory()) {
    throw new ConnectorFailure('NOT_A_FOLDER', 'A link or a file stands where a folder should be.');
  }
  return path;
}

const asFailure = (error: unknown): ConnectorFailure =>
  error instanceof ConnectorFailure
    ? error
    : new ConnectorFailure((error as NodeJS.ErrnoException).code ?? 'FOLDER', 'The folder cannot be used.');

class FileDropFolder implements DropFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async list(): Promise<readonly SeenFile[]> {
    const seen: SeenFile[] = [];
    for (const name of await this.#names('')) {
      if (name.startsWith('.') || unfinishedName.test(name)) continue;
      const found = await lstat(join(this.#path, name)).catch(gone);
      if (found?.isFile()) seen.push({ name, sizeBytes: found.size, modifiedMs: found.mtimeMs });
    }
    return seen;
  }

  async claim(name: string, claimId: string): Promise<ClaimedFile | null> {
    // Named by the claim, so that no two files of one name ever meet; what was odd in the name is not carried on.
    const claimed = `${claimId}-${name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 90)}`;
    try {
      await rename(join(this.#path, name), join(this.#path, 'processing', claimed));
    } catch (error) {
      if (gone(error as NodeJS.ErrnoException) === null) return null;
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
    // What a crash has left of a draft, or a link that somebody put there, is not written into.
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
      if (gone(error as NodeJS.ErrnoException) !== null) throw error;
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

  /** Names are durable when their folder is. */
  async #keepNames(room: string): Promise<void> {
    const folder = await open(join(this.#path, room), constants.O_RDONLY);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

/** Null for what is not there (any more). */
function gone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

const chunkBytes = 256 * 1024;

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (!(await file.stat()).isFile()) throw new ConnectorFailure('NOT_A_FILE', 'It is no plain file.');
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
