import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Modes of files and folders, which only the service may read: it writes open ones, and no user writes sealed ones. */
export const OPEN_FILE_MODE = 0o600;
export const SEALED_FILE_MODE = 0o400;
export const OPEN_FOLDER_MODE = 0o700;
export const SEALED_FOLDER_MODE = 0o500;

export const isWritable = (mode: number): boolean => (mode & 0o222) !== 0;

interface ThrownLike {
  readonly code?: unknown;
  readonly message?: unknown;
}

/** Not by `instanceof Error`: the file system's errors may come from another realm. */
const thrown = (error: unknown): ThrownLike => (typeof error === 'object' && error !== null ? error : {});

export const codeOf = (error: unknown): unknown => thrown(error).code;

export const messageOf = (error: unknown): string => String(thrown(error).message ?? error);

/** Syncs a folder, which makes the names in it durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder durably; keeps an existing one. @returns true if it was created */
export async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: OPEN_FOLDER_MODE });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
  await syncFolder(dirname(folder));
  return true;
}

/** Writes all bytes, because one write may take fewer. */
export async function writeWhole(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, at + written);
    written += bytesWritten;
  }
}

/** Reads up to `length` bytes; returns fewer at the end of the file. */
export async function readUpTo(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await handle.read(buffer, read, length - read, at + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}

/**
 * Creates a new file (O_EXCL) with this content, durable and read-only.
 *
 * @throws EEXIST
 */
export async function writeSealedFile(path: string, content: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', OPEN_FILE_MODE);
  try {
    await writeWhole(handle, Buffer.from(content.buffer, content.byteOffset, content.byteLength), 0);
    await handle.chmod(SEALED_FILE_MODE);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Joins a folder and a name; rejects a name that could lead out of the folder. */
export function pathIn(folder: string, name: string): string {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) throw new Error('a name in the write-once folder is malformed');
  return join(folder, name);
}
