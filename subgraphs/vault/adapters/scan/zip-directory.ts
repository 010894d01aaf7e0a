import type { Blocks } from './blocks.js';

// The central directory of a ZIP (APPNOTE.TXT 6.3.10 sections 4.3.12–4.3.16), read without unpacking anything.

export interface ZipEntry {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly headerOffset: number;
}

const END_BYTES = 22;
const LONGEST_COMMENT = 65_535;
const END = Buffer.from('PK\u0005\u0006', 'latin1');
const END64_LOCATOR = 0x07064b50;
const END64 = 0x06064b50;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
const MOST_DIRECTORY_BYTES = 67_108_864;
const ALL_ONES = 0xffffffff;

/** Broken, or built to be read in two ways. */
export class ZipFault extends Error {}

interface Place {
  readonly offset: number;
  readonly bytes: number;
}

/** Null where there is no archive at the end of these bytes. @throws ZipFault */
export async function zipDirectory(blocks: Blocks): Promise<readonly ZipEntry[] | null> {
  const place = await placeOf(blocks);
  if (place === null) return null;
  if (place.bytes > MOST_DIRECTORY_BYTES) throw new ZipFault('the directory is too long');
  if (place.offset + place.bytes > blocks.size) throw new ZipFault('the directory lies outside the archive');
  return entriesOf(await blocks.bytes(place.offset, place.offset + place.bytes));
}

async function placeOf(blocks: Blocks): Promise<Place | null> {
  const tailStart = Math.max(0, blocks.size - END_BYTES - LONGEST_COMMENT);
  const tail = await blocks.bytes(tailStart, blocks.size);
  for (let at = tail.lastIndexOf(END); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(END, at - 1)) {
    if (at + END_BYTES > tail.length) continue;
    // The comment ends with the file: else these four bytes are content.
    if (at + END_BYTES + tail.readUInt16LE(at + 20) > tail.length) continue;
    const plain = { offset: tail.readUInt32LE(at + 16), bytes: tail.readUInt32LE(at + 12) };
    if (plain.offset !== ALL_ONES && plain.bytes !== ALL_ONES) return plain;
    return wideOf(blocks, tailStart + at);
  }
  return null;
}

async function wideOf(blocks: Blocks, endAt: number): Promise<Place> {
  const locator = await blocks.bytes(endAt - 20, endAt);
  if (locator.length < 20 || locator.readUInt32LE(0) !== END64_LOCATOR) throw new ZipFault('the ZIP64 end is missing');
  const at = Number(locator.readBigUInt64LE(8));
  const record = await blocks.bytes(at, at + 56);
  if (record.length < 56 || record.readUInt32LE(0) !== END64) throw new ZipFault('the ZIP64 end is missing');
  return { offset: Number(record.readBigUInt64LE(48)), bytes: Number(record.readBigUInt64LE(40)) };
}

function entriesOf(directory: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at < directory.length; ) {
    if (at + CENTRAL_BYTES > directory.length || directory.readUInt32LE(at) !== CENTRAL) {
      throw new ZipFault('the directory is broken');
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
      unpackedBytes: sizes[0],
      packedBytes: sizes[1],
      headerOffset: sizes[2],
    });
    at = nameAt + nameBytes + extraBytes + directory.readUInt16LE(at + 32);
  }
  return entries;
}

type Sizes = readonly [unpacked: number, packed: number, offset: number];

/** In the ZIP64 extra field stand, in this order, those that are all ones in the entry itself. */
function wideSizes(plain: Sizes, extra: Buffer): Sizes {
  if (!plain.includes(ALL_ONES)) return plain;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let next = at + 4;
    const wide = plain.map((value) => {
      if (value !== ALL_ONES) return value;
      if (next + 8 > extra.length) throw new ZipFault('the ZIP64 sizes are missing');
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    });
    return [wide[0] ?? 0, wide[1] ?? 0, wide[2] ?? 0];
  }
  throw new ZipFault('the ZIP64 sizes are missing');
}
