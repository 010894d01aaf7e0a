import { crc32 } from 'node:zlib';
import type { ArchiveEntry } from '../service/ports/archive.js';
import { dataDescriptor, directoryRecord, endRecords, localHeader, type ZipRecord } from './zip-records.js';

/** A larger buffer is told like a stream, behind its data. */
const MOST_BUFFER_BYTES = 0x3fffffff;

/**
 * The bytes of the ZIP, made as they are read: the same entries give the same bytes on any machine (evidence.md section 5),
 * those that yazl gives. Who stops reading ends the entry that is being read.
 */
export async function* zipOf(entries: readonly ArchiveEntry[]): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { content } = entry;
    const record =
      Buffer.isBuffer(content) && content.length <= MOST_BUFFER_BYTES
        ? yield* knownEntry(entry.path, content, offset)
        : yield* streamedEntry(entry, offset);
    directory.push(directoryRecord(record));
    offset += entrySize(record);
  }
  const central = Buffer.concat(directory);
  yield Buffer.concat([central, endRecords(entries.length, offset, central.length)]);
}

/** Header, data and what stands behind it. */
const entrySize = (record: ZipRecord): number =>
  localHeader(record).length + record.size + (record.isDescribed ? dataDescriptor(record).length : 0);

async function* knownEntry(path: string, content: Buffer, offset: number): AsyncGenerator<Uint8Array, ZipRecord> {
  const record = { name: nameOf(path), size: content.length, crc32: crc32(content), offset, isDescribed: false };
  yield localHeader(record);
  yield content;
  return record;
}

async function* streamedEntry(
  { path, size, content }: ArchiveEntry,
  offset: number,
): AsyncGenerator<Uint8Array, ZipRecord> {
  const name = nameOf(path);
  const chunks = Buffer.isBuffer(content) ? [content] : content();
  yield localHeader({ name, size, crc32: 0, isDescribed: true });
  let checksum = 0;
  let read = 0;
  for await (const chunk of chunks) {
    checksum = crc32(chunk, checksum);
    read += chunk.length;
    yield chunk;
  }
  if (read !== size) throw new Error('an entry of an archive has another size than was told');
  const record = { name, size, crc32: checksum, offset, isDescribed: true };
  yield dataDescriptor(record);
  return record;
}

function nameOf(path: string): Buffer {
  if (path === '' || path.startsWith('/') || path.includes('\\') || path.split('/').includes('..'))
    throw new Error('not the name of an entry');
  return Buffer.from(path);
}
