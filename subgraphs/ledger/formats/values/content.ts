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

/** Hashes X12 segments in normal form while they pass: usual delimiters, no line ends, no blanks before a segment. */
export class SegmentContent {
  readonly #isNormal: boolean;
  readonly #terminator: number;
  /** The normal byte of each byte. */
  readonly #bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  readonly #hash: Hash = createHash('sha256');
  #isAtStart = true;

  constructor(delimiters: Delimiters) {
    this.#isNormal = NAMES.every((name) => delimiters[name] === '' || delimiters[name] === NORMAL[name]);
    this.#terminator = delimiters.segment.charCodeAt(0);
    for (const name of NAMES) {
      const from = delimiters[name].charCodeAt(0);
      if (from < 256) this.#bytes[from] = NORMAL[name].charCodeAt(0);
    }
  }

  update(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const isPlain = this.#isNormal && !bytes.includes(LINE_FEED) && !bytes.includes(CARRIAGE_RETURN);
    if (isPlain && !bytes.includes('~ ') && !bytes.includes('~~') && !(this.#isAtStart && (bytes[0] ?? 0) <= BLANK)) {
      this.#hash.update(bytes);
      this.#isAtStart = bytes.at(-1) === this.#terminator;
    } else this.#hash.update(this.#normalised(bytes));
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  #normalised(bytes: Buffer): Buffer {
    const out = Buffer.allocUnsafe(bytes.length);
    let length = 0;
    for (const byte of bytes) {
      if (byte === this.#terminator) {
        if (this.#isAtStart) continue;
        this.#isAtStart = true;
      } else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) continue;
      else if (this.#isAtStart && byte <= BLANK) continue;
      else this.#isAtStart = false;
      out[length] = this.#bytes[byte] ?? byte;
      length += 1;
    }
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
