import { crypted } from '../keys/content-cipher.js';
import type { RecordDocument } from '../records/document.js';
import { FRAME_HEAD_BYTES, framesIn, MAX_FRAME_BYTES, MAX_FRAME_TAIL_BYTES, readFrame } from '../records/frames.js';
import type { Bucket } from './bucket.js';
import type { ObjectPlace } from './record-places.js';

/** More than the longest object of a group. */
const WHOLE_OBJECT_BYTES = 8 * MAX_FRAME_BYTES;

/**
 * Reads records of one object with one request for the range that holds them. If the object is not what the places say,
 * someone changed it: reads it as a whole and returns its records of these names.
 *
 * @param places in the object, at least one
 * @returns the found records, without verification
 */
export async function readRecords(
  bucket: Bucket,
  name: string,
  key: Uint8Array,
  places: readonly ObjectPlace[],
): Promise<readonly RecordDocument[]> {
  const start = Math.min(...places.map(({ at }) => at)) - FRAME_HEAD_BYTES;
  const end = Math.max(...places.map(({ at, length }) => at + length)) + MAX_FRAME_TAIL_BYTES;
  const stored = await bucket.read(name, start, end - start);
  const range = stored === null ? null : crypted(key, start, stored);
  const records = places.map((place) => (range === null ? null : recordAt(range, start, place)));
  const sound = records.filter((record) => record !== null);
  return sound.length === records.length ? sound : readWhole(bucket, name, key, places);
}

function recordAt(range: Buffer, start: number, { sha256, at, length }: ObjectPlace): RecordDocument | null {
  const frame = readFrame(range, at - FRAME_HEAD_BYTES - start);
  if (frame === 'CUT' || frame === 'NONE' || frame.sha256 !== sha256 || frame.length !== length) return null;
  return documentOf(range, frame);
}

async function readWhole(
  bucket: Bucket,
  name: string,
  key: Uint8Array,
  places: readonly ObjectPlace[],
): Promise<readonly RecordDocument[]> {
  const stored = await bucket.read(name, 0, WHOLE_OBJECT_BYTES);
  if (stored === null) return [];
  const wanted = new Set(places.map(({ sha256 }) => sha256));
  const part = crypted(key, 0, stored);
  return [...framesIn(part)].filter((frame) => wanted.has(frame.sha256)).map((frame) => documentOf(part, frame));
}

interface Framed {
  readonly sha256: string;
  readonly at: number;
  readonly length: number;
  readonly seed?: Buffer;
}

function documentOf(part: Buffer, { sha256, at, length, seed }: Framed): RecordDocument {
  const bytes = part.subarray(at, at + length);
  return { _id: sha256, bytes, ...(seed === undefined ? {} : { seed }) };
}
