import { problem } from '../../errors/problem.js';

// Our own sealed archive as it lies in the write-once store: ZIP entries by method STORE, no comment (evidence.md section 5).
// Layout: PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16.

/** Bytes that can be read from any place; half-open ranges. */
export interface RandomAccess {
  readonly sizeBytes: number;
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

export interface StoredEntry {
  readonly name: string;
  readonly sizeBytes: number;
}

/** The entries of an archive, each readable by itself in constant memory. */
export interface StoredArchive {
  readonly entries: readonly StoredEntry[];
  /** @throws INTEGRITY_FAILURE where there is no such entry */
  read(name: string): AsyncIterable<Uint8Array>;
}

interface Place extends StoredEntry {
  readonly headerOffset: number;
}

const END_BYTES = 22;
const END_SIGNATURE = 0x06054b50;
const LOCATOR_BYTES = 20;
const LOCATOR_SIGNATURE = 0x07064b50;
const END64_BYTES = 56;
const END64_SIGNATURE = 0x06064b50;
const CENTRAL_BYTES = 46;
const CENTRAL_SIGNATURE = 0x02014b50;
const LOCAL_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const ZIP64_EXTRA = 1;
const FULL_16 = 0xffff;
const FULL_32 = 0xffffffff;

/** What does not read as an archive of ours is damage, never guessed at. */
const damaged = (what: string) =>
  problem('INTEGRITY_FAILURE', { internal: `the sealed archive does not read: ${what}` });

/** Opens an archive by its central directory. @throws INTEGRITY_FAILURE */
export async function openStoredArchive(bytes: RandomAccess): Promise<StoredArchive> {
  const directory = await directoryOf(bytes);
  const places = placesOf(await gathered(bytes, directory.start, directory.end), directory.count);
  const byName = new Map(places.map((place) => [place.name, place]));
  if (byName.size !== places.length) throw damaged('two entries of one name');
  return {
    entries: places.map(({ name, sizeBytes }) => ({ name, sizeBytes })),
    read: (name) => contentOf(bytes, byName.get(name), name),
  };
}

interface Directory {
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

async function directoryOf(bytes: RandomAccess): Promise<Directory> {
  const endAt = bytes.sizeBytes - END_BYTES;
  if (endAt < 0) throw damaged('too short');
  const end = await gathered(bytes, endAt, bytes.sizeBytes);
  if (end.readUInt32LE(0) !== END_SIGNATURE) throw damaged('no end record');
  const [count, sizeBytes, start] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
  const needs64 = count === FULL_16 || sizeBytes === FULL_32 || start === FULL_32;
  if (!needs64) return { start, end: start + sizeBytes, count };
  const locator = await gathered(bytes, endAt - LOCATOR_BYTES, endAt);
  if (locator.readUInt32LE(0) !== LOCATOR_SIGNATURE) throw damaged('no ZIP64 locator');
  const at = Number(locator.readBigUInt64LE(8));
  const end64 = await gathered(bytes, at, at + END64_BYTES);
  if (end64.readUInt32LE(0) !== END64_SIGNATURE) throw damaged('no ZIP64 end record');
  const start64 = Number(end64.readBigUInt64LE(48));
  return { start: start64, end: start64 + Number(end64.readBigUInt64LE(40)), count: Number(end64.readBigUInt64LE(32)) };
}

function placesOf(central: Buffer, count: number): Place[] {
  const places: Place[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + CENTRAL_BYTES > central.length || central.readUInt32LE(at) !== CENTRAL_SIGNATURE) {
      throw damaged('the directory is torn');
    }
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => central.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    if (central.readUInt16LE(at + 10) !== 0) throw damaged('an entry is not stored');
    const name = central.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes);
    const extraAt = at + CENTRAL_BYTES + nameBytes;
    const extra = central.subarray(extraAt, extraAt + extraBytes);
    places.push({ name, ...sizesOf(central.subarray(at, at + CENTRAL_BYTES), extra) });
    at = extraAt + extraBytes + commentBytes;
  }
  return places;
}

/** Sizes and offsets of 4 GiB and more stand in the ZIP64 field, in the order in which they are missing (4.5.3). */
function sizesOf(header: Buffer, extra: Buffer): Pick<Place, 'sizeBytes' | 'headerOffset'> {
  const [compressed, uncompressed, offset] = [
    header.readUInt32LE(20),
    header.readUInt32LE(24),
    header.readUInt32LE(42),
  ];
  const wide = wideFields(extra);
  const next = (value: number): number => {
    if (value !== FULL_32) return value;
    const found = wide.shift();
    if (found === undefined) throw damaged('a ZIP64 size is missing');
    return found;
  };
  const sizeBytes = next(uncompressed);
  if (next(compressed) !== sizeBytes) throw damaged('an entry is not stored');
  return { sizeBytes, headerOffset: next(offset) };
}

function wideFields(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const [kind, length] = [extra.readUInt16LE(at), extra.readUInt16LE(at + 2)];
    if (kind === ZIP64_EXTRA) {
      const body = extra.subarray(at + 4, at + 4 + length);
      return Array.from({ length: Math.floor(body.length / 8) }, (_, i) => Number(body.readBigUInt64LE(i * 8)));
    }
    at += 4 + length;
  }
  return [];
}

async function* contentOf(bytes: RandomAccess, place: Place | undefined, name: string): AsyncGenerator<Uint8Array> {
  if (!place) throw damaged(`${name} is missing`);
  const local = await gathered(bytes, place.headerOffset, place.headerOffset + LOCAL_BYTES);
  if (local.readUInt32LE(0) !== LOCAL_SIGNATURE) throw damaged('a local header is torn');
  const start = place.headerOffset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
  // A range of nothing is none to the store.
  if (place.sizeBytes > 0) yield* bytes.read(start, start + place.sizeBytes);
}

async function gathered(bytes: RandomAccess, start: number, end: number): Promise<Buffer> {
  if (start < 0 || end > bytes.sizeBytes || end < start) throw damaged('a place beyond its end');
  if (start === end) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes.read(start, end)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
