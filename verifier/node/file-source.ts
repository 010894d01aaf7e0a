import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { Source } from '../platform.js';

/** Opens a file as a source; the caller closes it. */
export async function openFileSource(path: string): Promise<Source & { close(): Promise<void> }> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  return {
    sizeBytes: size,
    read: (offset, length, room = new Uint8Array(length)) => readExactly(file, offset, room.subarray(0, length)),
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
