import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from './backup-error.js';

/**
 * Relative paths, with `/`, of all files below a folder; what is neither file nor folder is an error unless skipped. A folder
 * within it that is taken away meanwhile has none.
 */
export async function filesBelow(folder: string, skip: (path: string) => boolean, below = ''): Promise<string[]> {
  const found: string[] = [];
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && below !== '') return [];
    throw error;
  });
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (skip(path)) continue;
    if (entry.isDirectory()) found.push(...(await filesBelow(folder, skip, path)));
    else if (entry.isFile()) found.push(path);
    else throw new BackupError(`${join(folder, path)} is neither a file nor a folder`);
  }
  return found.sort();
}

export interface Digest {
  readonly sizeBytes: number;
  readonly sha256: string;
}

export async function digestOf(path: string): Promise<Digest> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(chunk as Buffer);
    sizeBytes += (chunk as Buffer).length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Copies a file that must not be there yet, gives what was written, and returns when it is on disk. */
export async function copyDurably(from: string, to: string, mode: number): Promise<Digest> {
  const target = await open(to, 'wx', mode);
  try {
    const digest = await pour(from, target);
    // The mode given to open is subject to the umask.
    await target.chmod(mode);
    await target.sync();
    return digest;
  } finally {
    await target.close();
  }
}

async function pour(from: string, target: FileHandle): Promise<Digest> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of createReadStream(from, { highWaterMark: 1 << 20 })) {
    const bytes = chunk as Buffer;
    hash.update(bytes);
    await target.writeFile(bytes);
    sizeBytes += bytes.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Makes the names in a folder durable. Windows cannot open folders, and orders its metadata itself. */
export async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
