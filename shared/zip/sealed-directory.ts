import {
  END_BYTES,
  END_SIGNATURE,
  LOCATOR_BYTES,
  LOCATOR_SIGNATURE,
  MADE_BY,
  readCentralHeader,
  VERSION_ZIP64,
  viewOf,
  WIDE_END_BYTES,
  WIDE_END_SIGNATURE,
  wideNumber,
  type ZipEntry,
  ZipFault,
  type ZipSource,
} from './records.js';

/** The directory of 100,000 documents has about 12 MB. */
const MAX_DIRECTORY_BYTES = 512 * 2 ** 20;

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  /** Offset of the central directory; the last entry must end here. */
  readonly start: number;
}

interface End {
  readonly count: number;
  readonly size: number;
  readonly start: number;
  /** Offset at which the directory must end. */
  readonly limit: number;
}

/**
 * Reads the directory of an archive that fills the source from the first byte to the last, without a gap. Two readers that
 * search for a beginning or an end could see two different archives.
 *
 * @throws ZipFault
 */
export async function readZipDirectory(source: ZipSource): Promise<ZipDirectory> {
  const end = await readEnd(source);
  if (end.start + end.size !== end.limit) throw new ZipFault('ZIP_EXTRA_BYTES', '', 'bytes that belong to no entry');
  if (end.size > MAX_DIRECTORY_BYTES)
    throw new ZipFault('ZIP_STRUCTURE', '', 'the directory is larger than any bundle has');
  const bytes = await source.read(end.start, end.size);
  const entries: ZipEntry[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { entry, next } = readCentralHeader(bytes, at);
    entries.push(entry);
    at = next;
  }
  if (entries.length !== end.count)
    throw new ZipFault('ZIP_STRUCTURE', '', 'the directory holds another number of entries');
  return { entries, start: end.start };
}

async function readEnd(source: ZipSource): Promise<End> {
  const at = source.sizeBytes - END_BYTES;
  if (at < 0) throw new ZipFault('ZIP_STRUCTURE', '', 'too short for an archive');
  const view = viewOf(await source.read(at, END_BYTES));
  if (view.getUint32(0, true) !== END_SIGNATURE || view.getUint16(20, true) !== 0) {
    throw new ZipFault('ZIP_STRUCTURE', '', 'the archive does not end with its end record: cut, commented or added to');
  }
  const [disk, directoryDisk, here, count] = [4, 6, 8, 10].map((offset) => view.getUint16(offset, true));
  if (disk !== 0 || directoryDisk !== 0 || here !== count) {
    throw new ZipFault('ZIP_STRUCTURE', '', 'an archive in several parts');
  }
  const end = { count: count ?? 0, size: view.getUint32(12, true), start: view.getUint32(16, true), limit: at };
  const wide = await readWideEnd(source, at);
  if (wide === undefined) return end;
  assertSame(end, wide);
  return wide;
}

async function readWideEnd(source: ZipSource, endAt: number): Promise<End | undefined> {
  const at = endAt - LOCATOR_BYTES;
  if (at < WIDE_END_BYTES) return undefined;
  const locator = viewOf(await source.read(at, LOCATOR_BYTES));
  if (locator.getUint32(0, true) !== LOCATOR_SIGNATURE) return undefined;
  const recordAt = wideNumber(locator, 8);
  if (recordAt !== at - WIDE_END_BYTES || locator.getUint32(4, true) !== 0 || locator.getUint32(16, true) !== 1) {
    throw new ZipFault('ZIP_STRUCTURE', '', 'the ZIP64 records are not where they must be');
  }
  const view = viewOf(await source.read(recordAt, WIDE_END_BYTES));
  const count = wideNumber(view, 32);
  const sound =
    view.getUint32(0, true) === WIDE_END_SIGNATURE &&
    wideNumber(view, 4) === WIDE_END_BYTES - 12 &&
    view.getUint16(12, true) === MADE_BY &&
    view.getUint16(14, true) === VERSION_ZIP64 &&
    view.getUint32(16, true) === 0 &&
    view.getUint32(20, true) === 0 &&
    wideNumber(view, 24) === count;
  if (!sound) throw new ZipFault('ZIP_STRUCTURE', '', 'the ZIP64 end record is damaged');
  return { count, size: wideNumber(view, 40), start: wideNumber(view, 48), limit: recordAt };
}

/** Checks that each value of the short record repeats the ZIP64 value or is saturated. */
function assertSame(end: End, wide: End): void {
  const agrees = (short: number, long: number, saturated: number): boolean => short === long || short === saturated;
  const same =
    agrees(end.count, wide.count, 0xffff) &&
    agrees(end.size, wide.size, 0xffffffff) &&
    agrees(end.start, wide.start, 0xffffffff);
  if (!same) throw new ZipFault('ZIP_STRUCTURE', '', 'the two end records disagree');
}
