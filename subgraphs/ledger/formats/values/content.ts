import { createHash, type Hash, hash } from 'node:crypto';

/**
 * The hash of what a part says, whatever way it was written: the same for other delimiters, line ends, framing and
 * insignificant white space. It decides whether a message is a retransmission.
 */

const [TAB, LINE_FEED, CARRIAGE_RETURN, BLANK] = [9, 10, 13, 32] as const;

/** Delimiters of X12, one character each; `repetition` may be empty. */
interface Delimiters {
  readonly element: string;
  readonly component: string;
  readonly repetition: string;
  readonly segment: string;
}

/** The delimiters of the normal form. */
const NORMAL: Delimiters = { element: '*', component: ':', repetition: '^', segment: '~' };
const NAMES = ['element', 'component', 'repetition', 'segment'] as const;

/** How the bytes of an interchange become those of the normal form. */
interface NormalBytes {
  readonly isNormal: boolean;
  readonly terminator: number;
  /** The normal byte of each byte. */
  readonly table: Uint8Array;
}

/** The tables of the delimiters seen last, because a body has thousands of parts with the same ones. */
const NORMAL_BYTES = new Map<string, NormalBytes>();
const MAX_NORMAL_BYTES = 64;

function normalBytesOf(delimiters: Delimiters): NormalBytes {
  const key = `${delimiters.element}\n${delimiters.component}\n${delimiters.repetition}\n${delimiters.segment}`;
  const known = NORMAL_BYTES.get(key);
  if (known !== undefined) return known;
  const table = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const name of NAMES) {
    const from = delimiters[name].charCodeAt(0);
    if (from < 256) table[from] = NORMAL[name].charCodeAt(0);
  }
  const isNormal = NAMES.every((name) => delimiters[name] === '' || delimiters[name] === NORMAL[name]);
  const made = { isNormal, terminator: delimiters.segment.charCodeAt(0), table };
  if (NORMAL_BYTES.size >= MAX_NORMAL_BYTES) NORMAL_BYTES.clear();
  NORMAL_BYTES.set(key, made);
  return made;
}

/** Hashes X12 segments in normal form while they pass: usual delimiters, no line ends, no blanks before a segment. */
export class SegmentContent {
  readonly #normal: NormalBytes;
  /** Null before the first bytes of a range that does not lie in one window. */
  #hash: Hash | null = null;
  #isAtStart = true;

  constructor(delimiters: Delimiters) {
    this.#normal = normalBytesOf(delimiters);
  }

  update(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#hash ??= createHash('sha256');
    this.#hash.update(this.#normalForm(bytes));
  }

  /** Ends the range with its last bytes. @param sha256 of those bytes as sent. */
  digest(rest: Buffer, sha256: string): string {
    if (this.#hash !== null) {
      this.update(rest);
      return this.#hash.digest('hex');
    }
    const normal = this.#normalForm(rest);
    return normal === rest ? sha256 : hash('sha256', normal, 'hex');
  }

  /** The same bytes if they are in normal form. */
  #normalForm(bytes: Buffer): Buffer {
    const { isNormal, terminator } = this.#normal;
    const isPlain = isNormal && !bytes.includes(LINE_FEED) && !bytes.includes(CARRIAGE_RETURN);
    if (!isPlain || bytes.includes('~ ') || bytes.includes('~~') || this.#isIdle(bytes[0] ?? 0))
      return this.#normalised(bytes);
    this.#isAtStart = bytes.at(-1) === terminator;
    return bytes;
  }

  /** True for a byte at the start of a segment that is no content. */
  #isIdle(byte: number): boolean {
    return this.#isAtStart && (byte <= BLANK || byte === this.#normal.terminator);
  }

  #normalised(bytes: Buffer): Buffer {
    const { table, terminator } = this.#normal;
    const out = Buffer.allocUnsafe(bytes.length);
    let [length, isAtStart] = [0, this.#isAtStart];
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === terminator) {
        if (isAtStart) continue;
        isAtStart = true;
      } else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) continue;
      else if (isAtStart && byte <= BLANK) continue;
      else isAtStart = false;
      out[length] = table[byte] ?? byte;
      length += 1;
    }
    this.#isAtStart = isAtStart;
    return out.subarray(0, length);
  }
}

/** Hashes lines: each ends with CR, without blanks around it; empty lines and the last terminator do not count. */
export function lineContent(bytes: Buffer, sha256: string): string {
  const isNormal = !bytes.includes(LINE_FEED) && !bytes.includes(TAB) && bytes.at(-1) !== CARRIAGE_RETURN;
  if (isNormal) return sha256;
  const lines = bytes.toString('latin1').split(/[\r\n]+/);
  const kept = lines.map((line) => line.replace(/^[ \t\v]+|[ \t]+$/g, '')).filter((line) => line !== '');
  return hash('sha256', Buffer.from(kept.join('\r'), 'latin1'), 'hex');
}

/** Hashes markup without the blanks between its tags. */
export function markupContent(bytes: Buffer): string {
  const text = bytes
    .toString('latin1')
    .replace(/>[\s]+</g, '><')
    .trim();
  return hash('sha256', Buffer.from(text, 'latin1'), 'hex');
}

/** Hashes a transmission without the line ends and framing bytes around it. */
export function framedContent(bytes: Buffer): string {
  let [from, to] = [0, bytes.length];
  while (to > from && isFraming(bytes[to - 1])) to -= 1;
  while (from < to && isFraming(bytes[from])) from += 1;
  return hash('sha256', bytes.subarray(from, to), 'hex');
}

const isFraming = (byte: number | undefined): boolean =>
  byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === 2 || byte === 3;
