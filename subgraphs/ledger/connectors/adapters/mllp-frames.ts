// Minimal Lower Layer Protocol (HL7 v2 "Transport Specification: MLLP", release 1): VT, the message, FS, CR.

const [VERTICAL_TAB, FILE_SEPARATOR, CARRIAGE_RETURN, LINE_FEED] = [0x0b, 0x1c, 0x0d, 0x0a] as const;
/** Bytes outside frames after which a sender counts as speaking another protocol. */
const STRAY_BYTES_LIMIT = 1_024;

type FrameFault = 'FRAME_TOO_LONG' | 'NOT_FRAMED';

/** Splits a stream of bytes into the contents of its frames. Holds at most one frame. */
export class MllpFrames {
  readonly #maxBytes: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #inside = false;
  #strayBytes = 0;
  #fault: FrameFault | null = null;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Reading stops at the first fault. */
  get fault(): FrameFault | null {
    return this.#fault;
  }

  /** True inside a frame. */
  get open(): boolean {
    return this.#inside;
  }

  /** The contents of the frames that end in this chunk. */
  push(chunk: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    let at = 0;
    while (at < chunk.length && this.#fault === null) {
      if (!this.#inside) {
        at = this.#skipTo(chunk, at);
        continue;
      }
      const end = chunk.indexOf(FILE_SEPARATOR, at);
      this.#hold(chunk.subarray(at, end === -1 ? chunk.length : end));
      if (end === -1 || this.#fault !== null) break;
      frames.push(this.#take());
      at = end + 1;
    }
    return frames;
  }

  /** Moves past the next VT. Ignores line ends between frames, which are common. */
  #skipTo(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === VERTICAL_TAB) {
        this.#inside = true;
        this.#strayBytes = 0;
        return at + 1;
      }
      if (byte === CARRIAGE_RETURN || byte === LINE_FEED) continue;
      this.#strayBytes += 1;
      if (this.#strayBytes > STRAY_BYTES_LIMIT) {
        this.#fault = 'NOT_FRAMED';
        return chunk.length;
      }
    }
    return chunk.length;
  }

  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > this.#maxBytes) {
      this.#fault = 'FRAME_TOO_LONG';
      this.#held = [];
      return;
    }
    // The socket reuses its buffer after this turn, so copy the rest.
    this.#held.push(Buffer.from(bytes));
  }

  #take(): Buffer {
    const [only] = this.#held;
    const frame = this.#held.length === 1 && only ? only : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    this.#inside = false;
    return frame;
  }
}

/** Frames a message. */
export const framed = (text: string): Buffer => {
  const content = Buffer.from(text);
  return Buffer.concat([Buffer.of(VERTICAL_TAB), content, Buffer.of(FILE_SEPARATOR, CARRIAGE_RETURN)]);
};
