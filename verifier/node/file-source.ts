import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { Source } from '../platform.js';

/**
 * Opens a file as a source; the caller closes it.
 *
 * @param report receives the bytes read so far and all bytes: a bundle is read once from its start to its end, but for its
 *   directory and what small entries need twice
 */
export async function openFileSource(
  path: string,
  report: (readBytes: number, sizeBytes: number) => void,
): Promise<Source & { close(): Promise<void> }> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  let readBytes = 0;
  return {
    sizeBytes: size,
    read: async (offset, length, room = new Uint8Array(length)) => {
      const bytes = await readExactly(file, offset, room.subarray(0, length));
      readBytes += length;
      report(Math.min(readBytes, size), size);
      return bytes;
    },
    close: () => file.close(),
  };
}

async function readExactly(file: FileHandle, offset: number, bytes: Uint8Array): Promise<Uint8Array> {
  const { length } = bytes;
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    at += bytesRead;
  }
  return bytes;
}
