// ZIP records (APPNOTE 6.3.10, sections 4.3 and 4.5.3), byte for byte as yazl writes them: STORE, mode 0644, the
// earliest DOS time, and no extra field except ZIP64 (evidence.md section 5).

/** An entry with written data. */
export interface ZipRecord {
  readonly name: Buffer;
  readonly size: number;
  readonly crc32: number;
  /** Offset of the local header. */
  readonly offset: number;
  /** Whether a data descriptor holds checksum and size, which were unknown before the data. */
  readonly isDescribed: boolean;
}

/** The largest value means that the real one is in the ZIP64 field. */
const MOST_32 = 0xffffffff;
const MOST_16 = 0xffff;
const NEEDS_UTF8 = 20;
const NEEDS_ZIP64 = 45;
/** Unix, version 6.3. */
const MADE_BY = (3 << 8) | 63;
const NAME_IS_UTF8 = 1 << 11;
const DATA_DESCRIPTOR = 1 << 3;
/** 1980-01-01. */
const DOS_DATE = (1 << 5) | 1;
const FILE_0644 = (0o100644 << 16) >>> 0;

const flagsOf = ({ isDescribed }: Pick<ZipRecord, 'isDescribed'>): number =>
  isDescribed ? NAME_IS_UTF8 | DATA_DESCRIPTOR : NAME_IS_UTF8;
const isZip64 = ({ size, offset }: Pick<ZipRecord, 'size' | 'offset'>): boolean => size >= MOST_32 || offset >= MOST_32;

function writeUInt64(bytes: Buffer, value: number, at: number): void {
  bytes.writeBigUInt64LE(BigInt(value), at);
}

/** Unknown checksum and size are zero. */
export function localHeader({ name, size, crc32, isDescribed }: Omit<ZipRecord, 'offset'>): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.writeUInt32LE(0x04034b50, 0);
  bytes.writeUInt16LE(NEEDS_UTF8, 4);
  bytes.writeUInt16LE(flagsOf({ isDescribed }), 6);
  bytes.writeUInt16LE(DOS_DATE, 12);
  if (!isDescribed) {
    bytes.writeUInt32LE(crc32, 14);
    bytes.writeUInt32LE(size, 18);
    bytes.writeUInt32LE(size, 22);
  }
  bytes.writeUInt16LE(name.length, 26);
  return Buffer.concat([bytes, name]);
}

export function dataDescriptor(record: Omit<ZipRecord, 'name'>): Buffer {
  const { size, crc32 } = record;
  const wide = isZip64(record);
  const bytes = Buffer.alloc(wide ? 24 : 16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc32, 4);
  if (wide) {
    writeUInt64(bytes, size, 8);
    writeUInt64(bytes, size, 16);
  } else {
    bytes.writeUInt32LE(size, 8);
    bytes.writeUInt32LE(size, 12);
  }
  return bytes;
}

export function directoryRecord(record: ZipRecord): Buffer {
  const { name, size, crc32, offset } = record;
  const wide = isZip64(record);
  const bytes = Buffer.alloc(46);
  bytes.writeUInt32LE(0x02014b50, 0);
  bytes.writeUInt16LE(MADE_BY, 4);
  bytes.writeUInt16LE(wide ? NEEDS_ZIP64 : NEEDS_UTF8, 6);
  bytes.writeUInt16LE(flagsOf(record), 8);
  bytes.writeUInt16LE(DOS_DATE, 14);
  bytes.writeUInt32LE(crc32, 16);
  bytes.writeUInt32LE(wide ? MOST_32 : size, 20);
  bytes.writeUInt32LE(wide ? MOST_32 : size, 24);
  bytes.writeUInt16LE(name.length, 28);
  bytes.writeUInt16LE(wide ? 28 : 0, 30);
  bytes.writeUInt32LE(FILE_0644, 38);
  bytes.writeUInt32LE(wide ? MOST_32 : offset, 42);
  return wide ? Buffer.concat([bytes, name, wideField(record)]) : Buffer.concat([bytes, name]);
}

/** ZIP64 extended information (4.5.3). */
function wideField({ size, offset }: ZipRecord): Buffer {
  const bytes = Buffer.alloc(28);
  bytes.writeUInt16LE(0x0001, 0);
  bytes.writeUInt16LE(24, 2);
  writeUInt64(bytes, size, 4);
  writeUInt64(bytes, size, 12);
  writeUInt64(bytes, offset, 20);
  return bytes;
}

/**
 * End records of the archive.
 *
 * @param offset of the central directory
 * @param size of the central directory, in bytes
 */
export function endRecords(entries: number, offset: number, size: number): Buffer {
  const wide = entries >= MOST_16 || offset >= MOST_32 || size >= MOST_32;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(entries, MOST_16), 8);
  end.writeUInt16LE(Math.min(entries, MOST_16), 10);
  end.writeUInt32LE(Math.min(size, MOST_32), 12);
  end.writeUInt32LE(Math.min(offset, MOST_32), 16);
  return wide ? Buffer.concat([wideEnd(entries, offset, size), end]) : end;
}

/** ZIP64 end of central directory, and its locator. */
function wideEnd(entries: number, offset: number, size: number): Buffer {
  const bytes = Buffer.alloc(56 + 20);
  bytes.writeUInt32LE(0x06064b50, 0);
  writeUInt64(bytes, 56 - 12, 4);
  bytes.writeUInt16LE(MADE_BY, 12);
  bytes.writeUInt16LE(NEEDS_ZIP64, 14);
  writeUInt64(bytes, entries, 24);
  writeUInt64(bytes, entries, 32);
  writeUInt64(bytes, size, 40);
  writeUInt64(bytes, offset, 48);
  bytes.writeUInt32LE(0x07064b50, 56);
  writeUInt64(bytes, offset + size, 64);
  bytes.writeUInt32LE(1, 72);
  return bytes;
}
