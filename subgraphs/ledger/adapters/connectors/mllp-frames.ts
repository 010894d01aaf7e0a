// Minimal Lower Layer Protocol (HL7 v2 "Transport Specification: MLLP", release 1): VT, the message, FS, CR.

const [verticalTab, fileSeparator, carriageReturn, lineFeed] = [0x0b, 0x1c, 0x0d, 0x0a] as const;
/** Bytes outside of frames that are looked over before a sender is told to speak another protocol. */
const strayBytesLimit = 1_024;

export type FrameFault = 'FRAME_TOO_LONG' | 'NOT_FRAMED';

/** Takes a stream of bytes apart into the contents of its frames. Holds one frame at most. */
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

  /** Nothing more is read after one. */
  get fault(): FrameFault | null {
    return this.#fault;
  }

  /** Whether a frame has begun and not ended. */
  get open(): boolean {
    return this.#inside;
  }

  /** The contents of the frames that end within this chunk. */
  push(chunk: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    let at = 0;
    while (at < chunk.length && this.#fault === null) {
      if (!this.#inside) {
        at = this.#skipTo(chunk, at);
        continue;
      }
      const end = chunk.indexOf(fileSeparator, at);
      this.#hold(chunk.subarray(at, end === -1 ? chunk.length : end));
      if (end === -1 || this.#fault !== null) break;
      frames.push(this.#take());
      at = end + 1;
    }
    return frames;
  }

  /** To behind the next VT. Line ends between frames are common and mean nothing. */
  #skipTo(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === verticalTab) {
        this.#inside = true;
        this.#strayBytes = 0;
        return at + 1;
      }
      if (byte === carriageReturn || byte === lineFeed) continue;
      this.#strayBytes += 1;
      if (this.#strayBytes > strayBytesLimit) {
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
    // The socket's buffer is its own again after this turn.
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

/** A message as it goes over the wire. */
export const framed = (text: string): Buffer => {
  const content = Buffer.from(text);
  return Buffer.concat([Buffer.of(verticalTab), content, Buffer.of(fileSeparator, carriageReturn)]);
};
