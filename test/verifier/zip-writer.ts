import { crc32 } from '../../shared/crypto/crc32.js';

/** An entry as a test wants it written, true or not. */
export interface WrittenEntry {
  readonly name: string | Buffer;
  readonly data: Buffer;
  /** Wrong values for the local header. */
  readonly local?: Partial<EntryFacts>;
  /** Wrong values for the directory. */
  readonly central?: Partial<EntryFacts>;
  /** Sizes and CRC after the data. */
  readonly descriptor?: boolean;
  /** Sizes and offset in ZIP64's extra field, as an entry of more than 4 GiB has them. */
  readonly zip64?: boolean;
  readonly comment?: Buffer;
  readonly before?: Buffer;
  /** Bytes between the data and what follows. */
  readonly after?: Buffer;
}

interface EntryFacts {
  readonly name: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly stamp: number;
  readonly crc: number;
  readonly size: number;
  readonly extra: Buffer;
  readonly mode: number;
  readonly offset: number;
}

export interface WrittenZip {
  readonly zip64?: boolean;
  readonly prefix?: Buffer;
  readonly suffix?: Buffer;
  readonly beforeDirectory?: Buffer;
  readonly comment?: Buffer;
  /** How many entries the end record claims. */
  readonly count?: number;
}

/** 1980-01-01 00:00, date in the upper half. */
const STAMP = 0x00210000;
const SATURATED = 0xffffffff;

const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
};
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

const nameOf = ({ name }: WrittenEntry): Buffer => (typeof name === 'string' ? Buffer.from(name) : name);

function factsOf(entry: WrittenEntry, offset: number): EntryFacts {
  return {
    name: nameOf(entry),
    flags: (entry.descriptor ? 8 : 0) | 0x0800,
    method: 0,
    stamp: STAMP,
    crc: crc32(entry.data),
    size: entry.data.length,
    extra: Buffer.alloc(0),
    mode: 0o100644,
    offset,
  };
}

function localHeader(entry: WrittenEntry, facts: EntryFacts): Buffer {
  const deferred = entry.descriptor ? { crc: 0, size: 0 } : {};
  const { name, flags, method, stamp, crc, size, extra } = { ...facts, ...deferred, ...entry.local };
  return Buffer.concat([
    u32(0x04034b50),
    u16(20),
    u16(flags),
    u16(method),
    u32(stamp),
    u32(crc),
    u32(size),
    u32(size),
    u16(name.length),
    u16(extra.length),
    name,
    extra,
  ]);
}

function centralHeader(entry: WrittenEntry, facts: EntryFacts): Buffer {
  const { name, flags, method, stamp, crc, size, extra, mode, offset } = { ...facts, ...entry.central };
  const wide = entry.zip64 ? Buffer.concat([u16(1), u16(24), u64(size), u64(size), u64(offset)]) : extra;
  const shown = entry.zip64 ? SATURATED : size;
  const comment = entry.comment ?? Buffer.alloc(0);
  return Buffer.concat([
    u32(0x02014b50),
    u16((3 << 8) | 63),
    u16(entry.zip64 ? 45 : 20),
    u16(flags),
    u16(method),
    u32(stamp),
    u32(crc),
    u32(shown),
    u32(shown),
    u16(name.length),
    u16(wide.length),
    u16(comment.length),
    u16(0),
    u16(0),
    u32((mode << 16) >>> 0),
    u32(entry.zip64 ? SATURATED : offset),
    name,
    wide,
    comment,
  ]);
}

const descriptorOf = ({ crc, size }: EntryFacts, wide: boolean): Buffer =>
  Buffer.concat([u32(0x08074b50), u32(crc), ...(wide ? [u64(size), u64(size)] : [u32(size), u32(size)])]);

/** A ZIP, with as many lies as asked for. */
export function writeZip(entries: readonly WrittenEntry[], zip: WrittenZip = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  const put = (bytes: Buffer): void => {
    parts.push(bytes);
    at += bytes.length;
  };
  put(zip.prefix ?? Buffer.alloc(0));
  for (const entry of entries) {
    put(entry.before ?? Buffer.alloc(0));
    const facts = factsOf(entry, at);
    put(localHeader(entry, facts));
    put(entry.data);
    if (entry.descriptor) put(descriptorOf(facts, entry.zip64 === true));
    put(entry.after ?? Buffer.alloc(0));
    directory.push(centralHeader(entry, facts));
  }
  put(zip.beforeDirectory ?? Buffer.alloc(0));
  const start = at;
  for (const header of directory) put(header);
  const size = at - start;
  const count = zip.count ?? entries.length;
  if (zip.zip64) {
    const recordAt = at;
    put(
      Buffer.concat([
        u32(0x06064b50),
        u64(44),
        u16((3 << 8) | 63),
        u16(45),
        u32(0),
        u32(0),
        u64(count),
        u64(count),
        u64(size),
        u64(start),
      ]),
    );
    put(Buffer.concat([u32(0x07064b50), u32(0), u64(recordAt), u32(1)]));
  }
  const comment = zip.comment ?? Buffer.alloc(0);
  const shown = (value: number, most: number): number => (zip.zip64 ? most : value);
  put(
    Buffer.concat([
      u32(0x06054b50),
      u16(0),
      u16(0),
      u16(shown(count, 0xffff)),
      u16(shown(count, 0xffff)),
      u32(shown(size, SATURATED)),
      u32(shown(start, SATURATED)),
      u16(comment.length),
      comment,
    ]),
  );
  put(zip.suffix ?? Buffer.alloc(0));
  return Buffer.concat(parts);
}
