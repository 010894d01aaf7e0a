import { sha256Hex } from '../crypto/hash.js';
import { MAX_RECORD_BYTES, type WormRecord } from './worm-store.js';

// A part of a segment is a file of frames, one after another: `<sha256> <length, 7 digits>\n<bytes>\n`. `head -c` and `sha256sum`
// read it without this program. The line feed at the end tells a whole frame from one whose writing was broken off.

const HASH_CHARS = 64;
const LENGTH_DIGITS = 7;
/** Before a record's bytes. */
export const FRAME_HEAD_BYTES = HASH_CHARS + 1 + LENGTH_DIGITS + 1;
/** Longest frame there is. */
export const MAX_FRAME_BYTES = FRAME_HEAD_BYTES + MAX_RECORD_BYTES + 1;
const HEAD = /^([0-9a-f]{64}) (\d{7})\n$/;
const LF = 0x0a;

export const frameOf = ({ sha256, bytes }: WormRecord): Buffer =>
  Buffer.concat([
    Buffer.from(`${sha256} ${String(bytes.length).padStart(LENGTH_DIGITS, '0')}\n`, 'latin1'),
    bytes,
    Buffer.of(LF),
  ]);

/** A whole frame; `at` and `length` are those of the record's bytes. */
export interface Frame {
  readonly sha256: string;
  readonly at: number;
  readonly length: number;
}

/** What begins at a place: a frame, the beginning of one that more bytes may complete, or none. */
export type FrameReading = Frame | 'CUT' | 'NONE';

export function readFrame(buffer: Buffer, at: number): FrameReading {
  const head = buffer.toString('latin1', at, at + FRAME_HEAD_BYTES);
  if (head.length < FRAME_HEAD_BYTES) return 'CUT';
  const [, sha256 = '', digits = ''] = HEAD.exec(head) ?? [];
  const length = Number(digits);
  if (sha256 === '' || length > MAX_RECORD_BYTES) return 'NONE';
  const from = at + FRAME_HEAD_BYTES;
  if (from + length >= buffer.length) return 'CUT';
  return buffer[from + length] === LF ? { sha256, at: from, length } : 'NONE';
}

export const endOf = ({ at, length }: Frame): number => at + length + 1;

/**
 * The first whole frame from this place on whose record hashes to its name: what stands before it is damage. Used only where
 * no frame stands where one should.
 */
export function nextSoundFrame(buffer: Buffer, from: number): Frame | null {
  for (let lf = buffer.indexOf(LF, from); lf !== -1; lf = buffer.indexOf(LF, lf + 1)) {
    const start = lf + 1 - FRAME_HEAD_BYTES;
    if (start < from) continue;
    const frame = readFrame(buffer, start);
    if (frame === 'CUT' || frame === 'NONE') continue;
    if (sha256Hex(buffer.subarray(frame.at, frame.at + frame.length)) === frame.sha256) return frame;
  }
  return null;
}
