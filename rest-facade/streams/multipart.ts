import { problem } from '../../shared/errors/problem.js';
import { type PartHead, partHeadOf } from './part-head.js';

// A streaming, strict parser of multipart/form-data and multipart/mixed (RFC 2046 section 5.1.1, RFC 7578): it rejects
// input outside the grammar. It holds one piece of the stream and the headers of one part in memory.

export interface FormPart extends PartHead {
  /** Must be read to its end before the next part is asked for. */
  readonly body: AsyncIterable<Buffer>;
}

const CRLF = Buffer.from('\r\n');
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const DASHES = '--';
const DASH = 0x2d;
const CR = 0x0d;
/** Most bytes before the first boundary and after the last; both are ignored. */
const MOST_AROUND_BYTES = 65_536;
const MOST_HEAD_BYTES = 16_384;
/** RFC 2046: at most 70 characters, none of them a space at the end. */
const BOUNDARY =
  /;\s*boundary=(?:"([A-Za-z0-9'()+_,./:=? -]{0,69}[A-Za-z0-9'()+_,./:=?-])"|([A-Za-z0-9'+_.-]{1,70}))\s*(?:;|$)/i;

/** Returns the boundary of a form's Content-Type; null for another type or without a boundary. */
export const formBoundaryOf = (contentType: string): string | null =>
  /^\s*multipart\/form-data\s*;/i.test(contentType) ? boundaryOf(contentType) : null;

/** Returns the boundary of a Content-Type; null without one. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  return quoted ?? plain ?? null;
}

const malformed = (message: string, cause?: unknown): Error =>
  problem('MALFORMED_BODY', cause === undefined ? { message } : { message, cause });

/** The parts of a form, one after the other. @throws MALFORMED_BODY */
export async function* formParts(
  stream: AsyncIterable<Buffer>,
  boundary: string,
  headOf: (bytes: Buffer) => PartHead = partHeadOf,
): AsyncGenerator<FormPart> {
  const delimiter = Buffer.from(`\r\n${DASHES}${boundary}`, 'latin1');
  const window = new Window(stream);
  // The first boundary may be the very first bytes.
  window.prepend(CRLF);
  await window.skipUntil(delimiter, MOST_AROUND_BYTES);
  while (await beginsPart(window)) {
    const head = await window.takeUntil(END_OF_HEAD, MOST_HEAD_BYTES);
    const body = window.until(delimiter);
    yield { ...headOf(head), body };
    for await (const _ of body) throw malformed('A part was left before its end.');
  }
  await window.skipRest(MOST_AROUND_BYTES);
}

/** Behind a boundary: a line end before another part, two dashes behind the last. */
async function beginsPart(window: Window): Promise<boolean> {
  const [first, second] = await window.take(2);
  if (first === DASH && second === DASH) return false;
  // The head's first header follows; its line end is put back, so that a part without headers ends at once.
  if (first === CR && second === 0x0a) {
    window.prepend(CRLF);
    return true;
  }
  throw malformed('A boundary is followed by something else than a line end.');
}

/** The bytes that have come and are not taken yet. */
class Window {
  readonly #pieces: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  prepend(bytes: Buffer): void {
    this.#held = Buffer.concat([bytes, this.#held]);
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count) if (!(await this.#more())) throw cutShort();
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /** Reads up to the mark and skips the mark. */
  async takeUntil(mark: Buffer, mostBytes: number): Promise<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(mark);
      if (at >= 0) {
        const taken = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + mark.length);
        return taken;
      }
      if (this.#held.length > mostBytes) throw malformed('The headers of a part are too long.');
      if (!(await this.#more())) throw cutShort();
    }
  }

  async skipUntil(mark: Buffer, mostBytes: number): Promise<void> {
    let skipped = 0;
    for await (const piece of this.until(mark)) {
      skipped += piece.length;
      if (skipped > mostBytes) throw malformed('The body does not begin with a part.');
    }
  }

  async skipRest(mostBytes: number): Promise<void> {
    let skipped = this.#held.length;
    this.#held = Buffer.alloc(0);
    while (await this.#more()) {
      skipped += this.#held.length;
      this.#held = Buffer.alloc(0);
      if (skipped > mostBytes) throw malformed('The body has data after its last part.');
    }
  }

  /** Streams everything before the mark, and skips the mark. */
  async *until(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(mark);
      if (at >= 0) {
        const last = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + mark.length);
        if (last.length > 0) yield last;
        return;
      }
      // The end may be the beginning of a mark.
      const safe = this.#held.length - mark.length + 1;
      if (safe > 0) {
        const piece = this.#held.subarray(0, safe);
        this.#held = this.#held.subarray(safe);
        yield piece;
      }
      const next = await this.#next();
      if (next.done === true) throw cutShort();
      if (this.#mayMeetIn(next.value, mark)) this.#held = Buffer.concat([this.#held, next.value]);
      else {
        if (this.#held.length > 0) yield this.#held;
        this.#held = next.value;
      }
    }
  }

  /** Returns whether a mark may begin in the held bytes and end in the next piece; else the piece need not be copied. */
  #mayMeetIn(next: Buffer, mark: Buffer): boolean {
    if (this.#held.length === 0) return false;
    if (next.length < mark.length) return true;
    return Buffer.concat([this.#held, next.subarray(0, mark.length)]).indexOf(mark) >= 0;
  }

  /** @returns false at the end of the stream. */
  async #more(): Promise<boolean> {
    const next = await this.#next();
    if (next.done === true) return false;
    this.#held = this.#held.length === 0 ? next.value : Buffer.concat([this.#held, next.value]);
    return true;
  }

  async #next(): Promise<IteratorResult<Buffer>> {
    try {
      return await this.#pieces.next();
    } catch (cause) {
      throw malformed('The body ended early.', cause);
    }
  }
}

const cutShort = (): Error => malformed('The body ends before its last boundary.');
