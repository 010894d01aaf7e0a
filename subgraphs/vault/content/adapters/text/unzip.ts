import { inflateRawSync } from 'node:zlib';
import { errorCodeOf } from '../../../../../shared/errors/error-code.js';
import {
  type ForeignBytes,
  type ForeignEntry,
  ForeignZipFault,
  packedAt,
  zipDirectory,
} from '../../../../../shared/zip/foreign-directory.js';
import { DocumentFault } from '../processes/messages.js';

const MAX_ENTRIES = 10_000;

/**
 * Inflates every entry of a ZIP without keeping it, to check the total size before a library unpacks it.
 * Ignores the sizes that the entries declare.
 *
 * @throws DocumentFault UNREADABLE, TOO_LARGE
 */
export async function refuseZipBomb(bytes: Buffer, maxBytes: number): Promise<void> {
  const source: ForeignBytes = {
    size: bytes.length,
    bytes: async (start, end) => bytes.subarray(Math.max(0, start), end),
  };
  try {
    const entries = await zipDirectory(source);
    if (entries === null) throw new DocumentFault('UNREADABLE');
    if (entries.length > MAX_ENTRIES) throw new DocumentFault('TOO_LARGE');
    let left = maxBytes;
    for (const entry of entries) left -= await inflatedSize(source, entry, left);
  } catch (error) {
    throw error instanceof ForeignZipFault ? new DocumentFault('UNREADABLE') : error;
  }
}

async function inflatedSize(source: ForeignBytes, entry: ForeignEntry, left: number): Promise<number> {
  if (entry.isEncrypted) throw new DocumentFault('ENCRYPTED');
  const start = await packedAt(source, entry);
  const end = start + entry.packedBytes;
  if (end > source.size) throw new DocumentFault('UNREADABLE');
  if (entry.method === 0) return entry.packedBytes;
  try {
    return inflateRawSync(await source.bytes(start, end), { maxOutputLength: Math.max(1, left) }).length;
  } catch (error) {
    const tooLarge = error instanceof RangeError || errorCodeOf(error) === 'ERR_BUFFER_TOO_LARGE';
    throw new DocumentFault(tooLarge ? 'TOO_LARGE' : 'UNREADABLE');
  }
}
