import { fromUtf8 } from '../text/bytes.js';

// The records of a ZIP file (APPNOTE 4.3 to 4.5), as bundles write them: STORE alone, ZIP64 where size or count demands it.

export const LOCAL_SIGNATURE = 0x04034b50;
export const LOCAL_BYTES = 30;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_BYTES = 46;
const ZIP64_EXTRA = 0x0001;
const SATURATED = 0xffffffff;
const STORE = 0;
/** Sizes and CRC stand after the data. */
export const FLAG_DESCRIPTOR = 1 << 3;
const FLAG_UTF8 = 1 << 11;
// Fixed, so that the same content gives the same bytes (evidence.md section 5): Unix, ZIP 6.3, 1980-01-01, mode 0644.
export const MADE_BY = (3 << 8) | 63;
export const VERSION = 20;
export const VERSION_ZIP64 = 45;
const FIXED_TIME = 0x00210000;
const MODE_0644 = (0o100644 << 16) >>> 0;
const REGULAR_FILE = 0o100000;
const FILE_TYPE = 0o170000;

/** What is no archive of ours. The message is for people; the code is what tests and programs compare. */
export class ZipFault extends Error {
  constructor(
    readonly code: string,
    readonly subject: string,
    message: string,
  ) {
    super(message);
  }
}

export interface ZipEntry {
  readonly name: string;
  readonly size: number;
  readonly crc: number;
  readonly flags: number;
  /** Where its local header stands. */
  readonly offset: number;
  /** Bytes of name, time and date as they stand, which the local header must repeat. */
  readonly nameBytes: Uint8Array;
  readonly stamp: number;
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function wideNumber(view: DataView, at: number): number {
  const value = view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
  if (!Number.isSafeInteger(value)) throw new ZipFault('ZIP_STRUCTURE', '', 'a number that no archive reaches');
  return value;
}

/** The central header at `at`, and where the next one begins. @throws ZipFault */
export function readCentralHeader(bytes: Uint8Array, at: number): { readonly entry: ZipEntry; readonly next: number } {
  const view = viewOf(bytes);
  if (at + CENTRAL_BYTES > bytes.length || view.getUint32(at, true) !== CENTRAL_SIGNATURE) {
    throw new ZipFault('ZIP_STRUCTURE', '', 'the central directory is cut or damaged');
  }
  const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
  const nameEnd = at + CENTRAL_BYTES + (nameLength ?? 0);
  const next = nameEnd + (extraLength ?? 0) + (commentLength ?? 0);
  if (next > bytes.length) throw new ZipFault('ZIP_STRUCTURE', '', 'the central directory is cut or damaged');
  const nameBytes = bytes.slice(at + CENTRAL_BYTES, nameEnd);
  const name = fromUtf8(nameBytes) ?? '';
  const sizes = widened(view, at, nameEnd, extraLength ?? 0, name);
  assertPlain(view, at, name, commentLength ?? 0);
  if (sizes.packed !== sizes.size) throw new ZipFault('ZIP_METHOD', name, 'the entry is not stored as it is');
  const entry = {
    name,
    nameBytes,
    size: sizes.size,
    offset: sizes.offset,
    crc: view.getUint32(at + 16, true),
    flags: view.getUint16(at + 8, true),
    stamp: view.getUint32(at + 12, true),
  };
  return { entry, next };
}

/** Sizes and offset, from ZIP64's extra field where the header's own are saturated; no other extra field is let in. */
function widened(view: DataView, at: number, extraAt: number, extraLength: number, name: string) {
  const packed = view.getUint32(at + 20, true);
  const size = view.getUint32(at + 24, true);
  const offset = view.getUint32(at + 42, true);
  const wide = [size, packed, offset].map((value) => value === SATURATED);
  const expected = 8 * wide.filter(Boolean).length;
  if (extraLength === 0 && expected === 0) return { packed, size, offset };
  const isZip64 =
    extraLength >= 4 + expected &&
    expected > 0 &&
    view.getUint16(extraAt, true) === ZIP64_EXTRA &&
    view.getUint16(extraAt + 2, true) === extraLength - 4;
  // Writers that put all three numbers into the field where one needs it are let be: they must then say the same.
  const full = extraLength === 28;
  if (!isZip64 || (extraLength !== 4 + expected && !full)) {
    throw new ZipFault('ZIP_EXTRA_FIELD', name, "an extra field other than ZIP64's");
  }
  let place = extraAt + 4;
  const values = [size, packed, offset].map((value, i) => {
    if (!wide[i] && !full) return value;
    const read = wideNumber(view, place);
    place += 8;
    if (!wide[i] && read !== value) throw new ZipFault('ZIP_EXTRA_FIELD', name, 'the ZIP64 field says otherwise');
    return read;
  });
  return { size: values[0] ?? 0, packed: values[1] ?? 0, offset: values[2] ?? 0 };
}

function assertPlain(view: DataView, at: number, name: string, commentLength: number): void {
  if (view.getUint16(at + 10, true) !== STORE) throw new ZipFault('ZIP_METHOD', name, 'the entry is compressed');
  const flags = view.getUint16(at + 8, true);
  if ((flags & ~(FLAG_DESCRIPTOR | FLAG_UTF8)) !== 0)
    throw new ZipFault('ZIP_FLAGS', name, 'flags that no bundle sets');
  if (commentLength !== 0) throw new ZipFault('ZIP_COMMENT', name, 'the entry has a comment');
  if (view.getUint16(at + 34, true) !== 0) throw new ZipFault('ZIP_STRUCTURE', name, 'an archive in several parts');
  const attributes = view.getUint32(at + 38, true);
  const type = (attributes >>> 16) & FILE_TYPE;
  if ((type !== 0 && type !== REGULAR_FILE) || (attributes & 0x10) !== 0 || name.endsWith('/')) {
    throw new ZipFault('ZIP_NOT_A_FILE', name, 'a directory, link or device');
  }
  const version = view.getUint16(at + 6, true);
  const asWritten =
    view.getUint16(at + 4, true) === MADE_BY &&
    (version === VERSION || version === VERSION_ZIP64) &&
    (flags & FLAG_UTF8) !== 0 &&
    view.getUint32(at + 12, true) === FIXED_TIME &&
    view.getUint16(at + 36, true) === 0 &&
    attributes === MODE_0644;
  if (!asWritten) throw new ZipFault('ZIP_ATTRIBUTES', name, 'time, mode or versions that no bundle has');
}
