import { fail } from '../errors.js';

export const HEADER_BYTES = 16;
/** What hello announces as `maxMessageSizeBytes`; a longer frame closes the connection. */
export const MAX_MESSAGE_BYTES = 48_000_000;

/** Messages above this size are collected in one buffer; shorter ones arrive in one or two chunks. */
const LARGE_MESSAGE_BYTES = 64 * 1024;

/** Splits the byte stream of one connection into messages. Copies each byte of a long message once. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #pendingBytes = 0;
  #neededBytes = HEADER_BYTES;
  /** The buffer of the long message in progress. */
  #assembly: Buffer | undefined;
  readonly #lent = new Map<Buffer, Buffer>();

  /** Takes a chunk and returns the messages it completes; throws ProtocolError on an invalid stream. */
  push(chunk: Buffer): Buffer[] {
    if (this.#assembly) return this.#assemble(this.#assembly, chunk);
    this.#chunks.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes < this.#neededBytes) return [];
    return this.#cut(this.#join());
  }

  /** Called when a message is answered: no part of it may be in use. */
  release(message: Buffer): void {
    const buffer = this.#lent.get(message);
    if (!buffer) return;
    this.#lent.delete(message);
    messageBuffers.giveBack(buffer);
  }

  #assemble(assembly: Buffer, chunk: Buffer): Buffer[] {
    const missingBytes = this.#neededBytes - this.#pendingBytes;
    chunk.copy(assembly, this.#pendingBytes, 0, missingBytes);
    if (chunk.length < missingBytes) {
      this.#pendingBytes += chunk.length;
      return [];
    }
    const message = assembly.subarray(0, this.#neededBytes);
    this.#lent.set(message, assembly);
    this.#assembly = undefined;
    return [message, ...this.#cut(chunk.subarray(missingBytes))];
  }

  #join(): Buffer {
    const only = this.#chunks[0];
    return this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#pendingBytes);
  }

  #cut(stream: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    let at = 0;
    this.#neededBytes = HEADER_BYTES;
    while (stream.length - at >= HEADER_BYTES) {
      const length = stream.readInt32LE(at);
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES)
        fail('ProtocolError', `message length ${length} is not between ${HEADER_BYTES} and ${MAX_MESSAGE_BYTES}`);
      if (stream.length - at < length) {
        this.#neededBytes = length;
        break;
      }
      messages.push(stream.subarray(at, at + length));
      at += length;
    }
    this.#keep(stream.subarray(at));
    return messages;
  }

  #keep(rest: Buffer): void {
    this.#pendingBytes = rest.length;
    this.#chunks = [];
    if (this.#neededBytes >= LARGE_MESSAGE_BYTES) {
      this.#assembly = messageBuffers.take(this.#neededBytes);
      rest.copy(this.#assembly);
    } else if (rest.length > 0) this.#chunks.push(rest);
  }
}

/** Below this size Node's pool, or the allocator, is as fast. */
export const LEAST_POOLED_BYTES = 8 * 1024;
/** The largest buffer in the pool: a batch of open size, with room to spare. */
const MOST_POOLED_BYTES = 4 * 1024 * 1024;
/** The total size of the pool. */
const KEPT_BYTES = 32 * 1024 * 1024;

/**
 * Reuses buffers for large messages. Memory outside the JavaScript heap counts for the garbage collector: a new buffer
 * for every chunk of a file costs a full collection for every 64 MB, and time to map and clear pages.
 */
export class BufferPool {
  readonly #free = new Map<number, Buffer[]>();
  #freeBytes = 0;

  /** Returns a buffer of at least this size with undefined contents. */
  take(sizeBytes: number): Buffer {
    const roomBytes = roomFor(sizeBytes);
    const known = this.#free.get(roomBytes)?.pop();
    if (!known) return Buffer.allocUnsafeSlow(roomBytes);
    this.#freeBytes -= roomBytes;
    return known;
  }

  /** The caller must not use any part of the buffer afterwards. */
  giveBack(buffer: Buffer): void {
    if (buffer.length > MOST_POOLED_BYTES || this.#freeBytes + buffer.length > KEPT_BYTES) return;
    const others = this.#free.get(buffer.length);
    if (others) others.push(buffer);
    else this.#free.set(buffer.length, [buffer]);
    this.#freeBytes += buffer.length;
  }
}

/** Sizes are powers of two, so that few buffers serve all; above the pool's limit the exact size. */
function roomFor(sizeBytes: number): number {
  if (sizeBytes > MOST_POOLED_BYTES) return sizeBytes;
  let roomBytes = LEAST_POOLED_BYTES;
  while (roomBytes < sizeBytes) roomBytes *= 2;
  return roomBytes;
}

/** One pool for all connections: commands run one after the other, so few buffers are in use. */
export const messageBuffers = new BufferPool();
