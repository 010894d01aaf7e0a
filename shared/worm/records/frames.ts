import { sha256Hex } from '../../crypto/hash.js';
import { SEED_BYTES } from '../../evidence/commitments.js';
import { MAX_RECORD_BYTES, type WormRecord } from '../worm-store.js';

// A part of a segment is a sequence of frames: `<sha256> <length, 7 digits>\n<bytes>\n`. The frame of an entry ends with its
// seed: `<bytes> <seed, 64 hex digits>\n`. `head -c` and `sha256sum` read it without this program. The final line feed
// distinguishes a whole frame from an interrupted write. In the frame of an encrypted record a `#` precedes the length; the bytes
// and the seed are ciphertext, so no record can hold a planted frame.

const HASH_CHARS = 64;
const LENGTH_DIGITS = 7;
/** Bytes of a frame before the record. */
export const FRAME_HEAD_BYTES = HASH_CHARS + 1 + LENGTH_DIGITS + 1;
/** A space and the seed. */
const SEED_CHARS = 1 + 2 * SEED_BYTES;
/** Most bytes of a frame after the record. */
export const MAX_FRAME_TAIL_BYTES = SEED_CHARS + 1;
/** Length of the longest frame. */
export const MAX_FRAME_BYTES = FRAME_HEAD_BYTES + MAX_RECORD_BYTES + MAX_FRAME_TAIL_BYTES;
const HEAD = /^([0-9a-f]{64})([ #])(\d{7})\n$/;
const SEED = /^ [0-9a-f]{64}$/;
/** Precedes the length of an encrypted record. */
const SEALED = '#';
const LF = 0x0a;
const SPACE = 0x20;

export const frameOf = ({ sha256, bytes, seed, isSealed }: WormRecord): Buffer =>
  Buffer.concat([
    Buffer.from(
      `${sha256}${isSealed === true ? SEALED : ' '}${String(bytes.length).padStart(LENGTH_DIGITS, '0')}\n`,
      'latin1',
    ),
    bytes,
    Buffer.from(seed === undefined ? '\n' : ` ${Buffer.from(seed).toString('hex')}\n`, 'latin1'),
  ]);

/** A whole frame; `at` and `length` describe the record's bytes, `end` is the offset after the frame. */
interface Frame {
  readonly sha256: string;
  readonly at: number;
  readonly length: number;
  readonly end: number;
  readonly seed?: Buffer;
  readonly isSealed: boolean;
}

/** A frame, CUT if more bytes may complete it, or NONE. */
type FrameReading = Frame | 'CUT' | 'NONE';

export function readFrame(buffer: Buffer, at: number): FrameReading {
  const head = buffer.toString('latin1', at, at + FRAME_HEAD_BYTES);
  if (head.length < FRAME_HEAD_BYTES) return 'CUT';
  const [, sha256 = '', mark = '', digits = ''] = HEAD.exec(head) ?? [];
  const isSealed = mark === SEALED;
  const length = Number(digits);
  if (sha256 === '' || length > MAX_RECORD_BYTES) return 'NONE';
  const from = at + FRAME_HEAD_BYTES;
  const tail = from + length;
  if (tail >= buffer.length) return 'CUT';
  if (buffer[tail] === LF) return { sha256, at: from, length, end: tail + 1, isSealed };
  if (buffer[tail] !== SPACE) return 'NONE';
  const end = tail + MAX_FRAME_TAIL_BYTES;
  if (end > buffer.length) return 'CUT';
  const seed = buffer.toString('latin1', tail, end - 1);
  if (buffer[end - 1] !== LF || !SEED.test(seed)) return 'NONE';
  return { sha256, at: from, length, end, seed: Buffer.from(seed.slice(1), 'hex'), isSealed };
}

/**
 * Finds the next whole frame with a record that hashes to its name, or that is encrypted; the bytes before it are damage. Used
 * only if no frame is at the expected offset.
 */
export function nextSoundFrame(buffer: Buffer, from: number): Frame | null {
  for (let lf = buffer.indexOf(LF, from); lf !== -1; lf = buffer.indexOf(LF, lf + 1)) {
    const start = lf + 1 - FRAME_HEAD_BYTES;
    if (start < from) continue;
    const frame = readFrame(buffer, start);
    if (frame === 'CUT' || frame === 'NONE') continue;
    if (frame.isSealed) return frame;
    if (sha256Hex(buffer.subarray(frame.at, frame.at + frame.length)) === frame.sha256) return frame;
  }
  return null;
}

/** Lists the whole frames of a complete part; skips damage between them. */
export function* framesIn(part: Buffer): Generator<Frame> {
  for (let at = 0; at < part.length; ) {
    const read = readFrame(part, at);
    const frame = read === 'CUT' || read === 'NONE' ? nextSoundFrame(part, at) : read;
    if (frame === null) return;
    yield frame;
    at = frame.end;
  }
}
