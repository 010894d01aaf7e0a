import {
  CENTRAL_BYTES,
  CENTRAL_SIGNATURE,
  END_BYTES,
  END_SIGNATURE,
  LOCAL_BYTES,
  LOCAL_SIGNATURE,
  LOCATOR_BYTES,
  LOCATOR_SIGNATURE,
  SATURATED,
  WIDE_END_BYTES,
  WIDE_END_SIGNATURE,
  ZIP64_EXTRA,
} from './records.js';

// Reads the directory of a ZIP that someone else wrote, without unpacking anything.

/** Random access to foreign bytes. */
export interface ForeignBytes {
  readonly size: number;
  /** Returns the bytes of a range, clipped to the content. */
  bytes(start: number, end: number): Promise<Buffer>;
}

export interface ForeignEntry {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly packedBytes: number;
  readonly headerOffset: number;
}

const LONGEST_COMMENT = 65_535;
const END = Buffer.alloc(4);
END.writeUInt32LE(END_SIGNATURE);
const MOST_DIRECTORY_BYTES = 67_108_864;

/** The archive is broken, or can be read in two ways. */
export class ForeignZipFault extends Error {}

interface Place {
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Returns null if these bytes do not end with an archive.
 *
 * @throws ForeignZipFault
 */
export async function zipDirectory(blocks: ForeignBytes): Promise<readonly ForeignEntry[] | null> {
  const place = await placeOf(blocks);
  if (place === null) return null;
  if (place.bytes > MOST_DIRECTORY_BYTES) throw new ForeignZipFault('the directory is too long');
  if (place.offset + place.bytes > blocks.size) throw new ForeignZipFault('the directory lies outside the archive');
  const end = place.offset + place.bytes;
  // Some readers ignore the declared size and read on.
  const following = await blocks.bytes(end, end + 4);
  if (following.length === 4 && following.readUInt32LE(0) === CENTRAL_SIGNATURE) {
    throw new ForeignZipFault('the directory is longer than it declares');
  }
  return entriesOf(await blocks.bytes(place.offset, end));
}

async function placeOf(blocks: ForeignBytes): Promise<Place | null> {
  const tailStart = Math.max(0, blocks.size - END_BYTES - LONGEST_COMMENT);
  const tail = await blocks.bytes(tailStart, blocks.size);
  for (let at = tail.lastIndexOf(END); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(END, at - 1)) {
    if (at + END_BYTES > tail.length) continue;
    // The comment ends the file; otherwise these four bytes are content.
    if (at + END_BYTES + tail.readUInt16LE(at + 20) > tail.length) continue;
    const plain = { offset: tail.readUInt32LE(at + 16), bytes: tail.readUInt32LE(at + 12) };
    if (plain.offset !== SATURATED && plain.bytes !== SATURATED) return plain;
    return wideOf(blocks, tailStart + at);
  }
  return null;
}

async function wideOf(blocks: ForeignBytes, endAt: number): Promise<Place> {
  const locator = await blocks.bytes(endAt - LOCATOR_BYTES, endAt);
  if (locator.length < LOCATOR_BYTES || locator.readUInt32LE(0) !== LOCATOR_SIGNATURE)
    throw new ForeignZipFault('the ZIP64 end is missing');
  const at = Number(locator.readBigUInt64LE(8));
  const record = await blocks.bytes(at, at + WIDE_END_BYTES);
  if (record.length < WIDE_END_BYTES || record.readUInt32LE(0) !== WIDE_END_SIGNATURE)
    throw new ForeignZipFault('the ZIP64 end is missing');
  return { offset: Number(record.readBigUInt64LE(48)), bytes: Number(record.readBigUInt64LE(40)) };
}

function entriesOf(directory: Buffer): ForeignEntry[] {
  const entries: ForeignEntry[] = [];
  for (let at = 0; at < directory.length; ) {
    if (at + CENTRAL_BYTES > directory.length || directory.readUInt32LE(at) !== CENTRAL_SIGNATURE) {
      throw new ForeignZipFault('the directory is broken');
    }
    const nameBytes = directory.readUInt16LE(at + 28);
    const extraBytes = directory.readUInt16LE(at + 30);
    const nameAt = at + CENTRAL_BYTES;
    const extra = directory.subarray(nameAt + nameBytes, nameAt + nameBytes + extraBytes);
    const sizes = wideSizes(
      [directory.readUInt32LE(at + 24), directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 42)],
      extra,
    );
    entries.push({
      name: directory.subarray(nameAt, nameAt + nameBytes).toString('utf8'),
      isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      packedBytes: sizes[1],
      headerOffset: sizes[2],
    });
    at = nameAt + nameBytes + extraBytes + directory.readUInt16LE(at + 32);
  }
  return entries;
}

type Sizes = readonly [unpacked: number, packed: number, offset: number];

/** The ZIP64 extra field lists, in this order, the values that are all ones in the entry itself. */
function wideSizes(plain: Sizes, extra: Buffer): Sizes {
  if (!plain.includes(SATURATED)) return plain;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== ZIP64_EXTRA) continue;
    let next = at + 4;
    const wide = plain.map((value) => {
      if (value !== SATURATED) return value;
      if (next + 8 > extra.length) throw new ForeignZipFault('the ZIP64 sizes are missing');
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    });
    return [wide[0] ?? 0, wide[1] ?? 0, wide[2] ?? 0];
  }
  throw new ForeignZipFault('the ZIP64 sizes are missing');
}

/** Returns the offset of the entry's packed bytes. @throws ForeignZipFault */
export async function packedAt(blocks: ForeignBytes, { headerOffset }: ForeignEntry): Promise<number> {
  const local = await blocks.bytes(headerOffset, headerOffset + LOCAL_BYTES);
  if (local.length < LOCAL_BYTES || local.readUInt32LE(0) !== LOCAL_SIGNATURE) {
    throw new ForeignZipFault('an entry is missing');
  }
  return headerOffset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
}
