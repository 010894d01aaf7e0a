import { crc32 } from 'node:zlib';
import { dataDescriptor, directoryRecord, endRecords, localHeader, type ZipRecord } from './written-records.js';

/** One entry of a ZIP: bytes in memory, or read when needed. */
export interface ArchiveEntry {
  readonly path: string;
  readonly size: number;
  readonly content: Buffer | (() => AsyncIterable<Uint8Array>);
}

/** An entry with a size that is known only after it is read. */
export type WrittenEntry = Omit<ArchiveEntry, 'size'> & { readonly size: number | null };

/** Larger buffers are written as streams, with a data descriptor. */
const MOST_BUFFER_BYTES = 0x3fffffff;

/**
 * Yields the bytes of a ZIP as they are read. Equal entries give equal bytes on any machine, the same as yazl gives
 * (evidence.md section 5).
 * A reader that stops early ends the entry being read.
 */
export async function* zipOf(
  entries: Iterable<WrittenEntry> | AsyncIterable<WrittenEntry>,
): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const entry of entries) {
    const { content } = entry;
    const record =
      Buffer.isBuffer(content) && content.length <= MOST_BUFFER_BYTES
        ? yield* knownEntry(entry.path, content, offset)
        : yield* streamedEntry(entry, offset);
    directory.push(directoryRecord(record));
    offset += entrySize(record);
  }
  const central = Buffer.concat(directory);
  yield Buffer.concat([central, endRecords(directory.length, offset, central.length)]);
}

/** Header, data and data descriptor. */
const entrySize = (record: ZipRecord): number =>
  localHeader(record).length + record.size + (record.isDescribed ? dataDescriptor(record).length : 0);

async function* knownEntry(path: string, content: Buffer, offset: number): AsyncGenerator<Uint8Array, ZipRecord> {
  const record = { name: nameOf(path), size: content.length, crc32: crc32(content), offset, isDescribed: false };
  yield localHeader(record);
  yield content;
  return record;
}

async function* streamedEntry(
  { path, size, content }: WrittenEntry,
  offset: number,
): AsyncGenerator<Uint8Array, ZipRecord> {
  const name = nameOf(path);
  const chunks = Buffer.isBuffer(content) ? [content] : content();
  yield localHeader({ name, size: 0, crc32: 0, isDescribed: true });
  let checksum = 0;
  let read = 0;
  for await (const chunk of chunks) {
    checksum = crc32(chunk, checksum);
    read += chunk.length;
    yield chunk;
  }
  if (size !== null && read !== size) throw new Error('the content of an archive entry differs from its declared size');
  const record = { name, size: read, crc32: checksum, offset, isDescribed: true };
  yield dataDescriptor(record);
  return record;
}

function nameOf(path: string): Buffer {
  if (path === '' || path.startsWith('/') || path.includes('\\') || path.split('/').includes('..'))
    throw new Error('invalid name of an archive entry');
  return Buffer.from(path);
}
