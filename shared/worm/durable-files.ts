import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What the service may still write, and what nobody may. */
export const OPEN_FILE_MODE = 0o640;
export const SEALED_FILE_MODE = 0o440;
export const OPEN_FOLDER_MODE = 0o750;
export const SEALED_FOLDER_MODE = 0o550;

export const isWritable = (mode: number): boolean => (mode & 0o222) !== 0;

export const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;

/** A name in a folder is durable once the folder itself is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder, durably; one that stands is left as it is. @returns whether it was made now. */
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

/** All of the bytes: one write may take fewer. */
export async function writeWhole(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, at + written);
    written += bytesWritten;
  }
}

/** As many of the bytes as there are. */
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
 * Creates a file that was not there (O_EXCL), with this content, durably and for reading only.
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

/** A name that may become part of a path, and nothing that leads out of its folder. */
export function pathIn(folder: string, name: string): string {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) throw new Error('a name in the write-once folder is malformed');
  return join(folder, name);
}
