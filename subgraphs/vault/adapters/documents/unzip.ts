import { inflateRawSync } from 'node:zlib';
import { DocumentFault } from './document-fault.js';

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const END_BYTES = 22;
const MAX_COMMENT = 0xffff;
const MAX_ENTRIES = 10_000;

/**
 * Inflates every entry of a ZIP into nothing, to learn that all of it is small enough for a library that unpacks without
 * asking. What an entry says of its size is not believed.
 *
 * @throws DocumentFault UNREADABLE, TOO_LARGE
 */
export function refuseZipBomb(bytes: Buffer, maxBytes: number): void {
  const end = endOfDirectory(bytes);
  const entries = bytes.readUInt16LE(end + 10);
  if (entries > MAX_ENTRIES) throw new DocumentFault('TOO_LARGE');
  let at = bytes.readUInt32LE(end + 16);
  let left = maxBytes;
  for (let i = 0; i < entries; i++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== CENTRAL) throw new DocumentFault('UNREADABLE');
    left -= inflatedSize(bytes, at, left);
    at += 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
}

function endOfDirectory(bytes: Buffer): number {
  const last = bytes.length - END_BYTES;
  for (let at = last; at >= 0 && at >= last - MAX_COMMENT; at--) if (bytes.readUInt32LE(at) === END) return at;
  throw new DocumentFault('UNREADABLE');
}

function inflatedSize(bytes: Buffer, entry: number, left: number): number {
  if ((bytes.readUInt16LE(entry + 8) & 1) === 1) throw new DocumentFault('ENCRYPTED');
  const method = bytes.readUInt16LE(entry + 10);
  const compressed = bytes.readUInt32LE(entry + 20);
  const local = bytes.readUInt32LE(entry + 42);
  if (local + 30 > bytes.length) throw new DocumentFault('UNREADABLE');
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  if (start + compressed > bytes.length) throw new DocumentFault('UNREADABLE');
  if (method === 0) return compressed;
  try {
    return inflateRawSync(bytes.subarray(start, start + compressed), { maxOutputLength: Math.max(1, left) }).length;
  } catch (error) {
    const tooLarge = error instanceof RangeError || (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw new DocumentFault(tooLarge ? 'TOO_LARGE' : 'UNREADABLE');
  }
}
