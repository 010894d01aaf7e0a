import {
  FLAG_DESCRIPTOR,
  LOCAL_BYTES,
  LOCAL_SIGNATURE,
  SATURATED,
  VERSION,
  VERSION_ZIP64,
  viewOf,
  wideNumber,
  type ZipEntry,
  ZipFault,
  type ZipSource,
} from './records.js';
import type { ZipDirectory } from './sealed-directory.js';

const DESCRIPTOR_SIGNATURE = 0x08074b50;

/** An entry with a local header that agrees with the directory. */
export interface PlacedEntry extends ZipEntry {
  /** Offset of its first byte; it has `size` bytes. */
  readonly dataAt: number;
}

/**
 * Checks the local headers. Entries must follow each other without a gap, in the directory's order, from the first byte to
 * the directory, and each header must repeat the directory's values. A reader that uses local headers then sees the same
 * archive.
 *
 * @throws ZipFault for the first header that does not match
 */
export async function placeEntries(source: ZipSource, { entries, start }: ZipDirectory): Promise<PlacedEntry[]> {
  const placed: PlacedEntry[] = [];
  let at = 0;
  for (const [i, entry] of entries.entries()) {
    if (entry.offset !== at)
      throw new ZipFault('ZIP_EXTRA_BYTES', entry.name, 'the entry does not stand where the one before ends');
    const next = entries[i + 1]?.offset ?? start;
    const dataAt = await localDataAt(source, entry, start);
    const dataEnd = dataAt + entry.size;
    if (dataEnd > next) throw new ZipFault('ZIP_HEADER_MISMATCH', entry.name, 'the entry reaches into what follows it');
    await assertDescriptor(source, entry, dataEnd, next);
    placed.push({ ...entry, dataAt });
    at = next;
  }
  if (at !== start) throw new ZipFault('ZIP_EXTRA_BYTES', '', 'bytes before the directory');
  return placed;
}

/** Returns the offset of the entry's first byte. @param limit offset of the directory @throws ZipFault */
export async function localDataAt(source: ZipSource, entry: ZipEntry, limit: number): Promise<number> {
  const cut = new ZipFault('ZIP_STRUCTURE', entry.name, 'the local header is cut or damaged');
  if (entry.offset + LOCAL_BYTES + entry.nameBytes.length > limit) throw cut;
  const bytes = await source.read(entry.offset, LOCAL_BYTES + entry.nameBytes.length);
  const view = viewOf(bytes);
  if (view.getUint32(0, true) !== LOCAL_SIGNATURE) throw cut;
  const mismatch = (what: string): ZipFault =>
    new ZipFault('ZIP_HEADER_MISMATCH', entry.name, `the local header has another ${what} than the directory`);
  const version = view.getUint16(4, true);
  if (version !== VERSION && version !== VERSION_ZIP64) throw mismatch('version');
  if (view.getUint16(6, true) !== entry.flags) throw mismatch('set of flags');
  if (view.getUint16(8, true) !== 0) throw mismatch('method');
  if (view.getUint32(10, true) !== entry.stamp) throw mismatch('time');
  if (view.getUint16(26, true) !== entry.nameBytes.length) throw mismatch('name');
  if (entry.nameBytes.some((byte, i) => bytes[LOCAL_BYTES + i] !== byte)) throw mismatch('name');
  const extraLength = view.getUint16(28, true);
  const dataAt = entry.offset + bytes.length + extraLength;
  if (dataAt > limit) throw cut;
  const extra = extraLength === 0 ? undefined : viewOf(await source.read(entry.offset + bytes.length, extraLength));
  const sizes = sizesOf(view, extra, entry.name);
  const deferred = (entry.flags & FLAG_DESCRIPTOR) !== 0;
  // With a data descriptor the numbers follow the data, and are zero here.
  const agrees = (here: number, there: number): boolean => here === there || (deferred && here === 0);
  if (!agrees(view.getUint32(14, true), entry.crc)) throw mismatch('CRC');
  if (!agrees(sizes.size, entry.size) || !agrees(sizes.packed, entry.size)) throw mismatch('size');
  return dataAt;
}

function sizesOf(view: DataView, extra: DataView | undefined, name: string) {
  const packed = view.getUint32(18, true);
  const size = view.getUint32(22, true);
  if (extra === undefined) return { packed, size };
  if (extra.byteLength !== 20 || extra.getUint16(0, true) !== 1 || extra.getUint16(2, true) !== 16) {
    throw new ZipFault('ZIP_EXTRA_FIELD', name, "an extra field other than ZIP64's");
  }
  const wide = { size: wideNumber(extra, 4), packed: wideNumber(extra, 12) };
  const agrees = (short: number, long: number): boolean => short === long || short === SATURATED;
  if (!agrees(size, wide.size) || !agrees(packed, wide.packed)) {
    throw new ZipFault('ZIP_HEADER_MISMATCH', name, 'the local header and its ZIP64 field disagree');
  }
  return wide;
}

/** Checks that only a data descriptor, and only if the flags announce it, lies between the data and the next record. */
async function assertDescriptor(source: ZipSource, entry: ZipEntry, dataEnd: number, next: number): Promise<void> {
  const length = next - dataEnd;
  const deferred = (entry.flags & FLAG_DESCRIPTOR) !== 0;
  if (length !== 0 && !(deferred && (length === 16 || length === 24))) {
    throw new ZipFault('ZIP_EXTRA_BYTES', entry.name, 'bytes after the entry that belong to nothing');
  }
  if (!deferred) return;
  if (length === 0) throw new ZipFault('ZIP_HEADER_MISMATCH', entry.name, 'the data descriptor is missing');
  const view = viewOf(await source.read(dataEnd, length));
  const [packed, size] =
    length === 16 ? [view.getUint32(8, true), view.getUint32(12, true)] : [wideNumber(view, 8), wideNumber(view, 16)];
  const same = view.getUint32(4, true) === entry.crc && packed === entry.size && size === entry.size;
  if (view.getUint32(0, true) !== DESCRIPTOR_SIGNATURE || !same) {
    throw new ZipFault('ZIP_HEADER_MISMATCH', entry.name, 'the data descriptor says otherwise than the directory');
  }
}
