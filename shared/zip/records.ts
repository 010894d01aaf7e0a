// The records of a ZIP file (APPNOTE 6.3.10, sections 4.3 to 4.5), and the values that bundles write into them: STORE only,
// ZIP64 where size or count needs it. Runs in a browser too.

export const LOCAL_SIGNATURE = 0x04034b50;
export const LOCAL_BYTES = 30;
export const CENTRAL_SIGNATURE = 0x02014b50;
export const CENTRAL_BYTES = 46;
export const END_SIGNATURE = 0x06054b50;
export const END_BYTES = 22;
export const LOCATOR_SIGNATURE = 0x07064b50;
export const LOCATOR_BYTES = 20;
export const WIDE_END_SIGNATURE = 0x06064b50;
export const WIDE_END_BYTES = 56;
export const ZIP64_EXTRA = 0x0001;
/** The real value is in the ZIP64 field. */
export const SATURATED = 0xffffffff;
const STORE = 0;
/** Sizes and CRC follow the data. */
export const FLAG_DESCRIPTOR = 1 << 3;
const FLAG_UTF8 = 1 << 11;
// Fixed values make equal content equal bytes (evidence.md section 5): Unix, ZIP 6.3, 1980-01-01, mode 0644.
export const MADE_BY = (3 << 8) | 63;
export const VERSION = 20;
export const VERSION_ZIP64 = 45;
const FIXED_TIME = 0x00210000;
const MODE_0644 = (0o100644 << 16) >>> 0;
const REGULAR_FILE = 0o100000;
const FILE_TYPE = 0o170000;

/** The file is not an archive that bundles use. The message is for people; tests and programs compare the code. */
export class ZipFault extends Error {
  constructor(
    readonly code: string,
    readonly subject: string,
    message: string,
  ) {
    super(message);
  }
}

/** Random access to the bytes of an archive. */
export interface ZipSource {
  readonly sizeBytes: number;
  /** Reads exactly `length` bytes from `offset`; the caller must not read past the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

export interface ZipEntry {
  readonly name: string;
  readonly size: number;
  readonly crc: number;
  readonly flags: number;
  /** Offset of its local header. */
  readonly offset: number;
  /** Raw bytes of the name, and time and date; the local header must repeat them. */
  readonly nameBytes: Uint8Array;
  readonly stamp: number;
}

const NAMES = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns an empty name for bytes that are not UTF-8; no bundle has one. */
function nameOf(bytes: Uint8Array): string {
  try {
    return NAMES.decode(bytes);
  } catch {
    return '';
  }
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function wideNumber(view: DataView, at: number): number {
  const value = view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
  if (!Number.isSafeInteger(value)) throw new ZipFault('ZIP_STRUCTURE', '', 'a number that no archive reaches');
  return value;
}

/** Reads the central header at `at` and the offset of the next one. @throws ZipFault */
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
  const name = nameOf(nameBytes);
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

/** Reads sizes and offset, from the ZIP64 extra field if the header's values are saturated. Rejects other extra fields. */
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
  // Some writers put all three numbers into the field when one needs it; the numbers must then agree.
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
