import { MongoError } from '../errors.js';
import { messageBuffers } from './buffer-pool.js';

export const headerBytes = 16;
/** What hello announces as `maxMessageSizeBytes`; a longer frame closes the connection. */
export const maxMessageBytes = 48_000_000;

/** Messages from here on are laid into a buffer of their own as they come; shorter ones come in one or two chunks. */
const largeMessageBytes = 64 * 1024;

/** Cuts the byte stream of one connection into whole messages. Each byte of a long message is copied once. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private pendingBytes = 0;
  private neededBytes = headerBytes;
  /** Where the long message under way is put together. */
  private assembly: Buffer | undefined;
  private readonly lent = new Map<Buffer, Buffer>();

  /** Takes a chunk and gives the messages it completes; throws ProtocolError when the stream cannot be followed. */
  push(chunk: Buffer): Buffer[] {
    if (this.assembly) return this.assemble(this.assembly, chunk);
    this.chunks.push(chunk);
    this.pendingBytes += chunk.length;
    if (this.pendingBytes < this.neededBytes) return [];
    return this.cut(this.join());
  }

  /** Called when a message is answered: nothing may hold a part of it any more. */
  release(message: Buffer): void {
    const buffer = this.lent.get(message);
    if (!buffer) return;
    this.lent.delete(message);
    messageBuffers.giveBack(buffer);
  }

  private assemble(assembly: Buffer, chunk: Buffer): Buffer[] {
    const missingBytes = this.neededBytes - this.pendingBytes;
    chunk.copy(assembly, this.pendingBytes, 0, missingBytes);
    if (chunk.length < missingBytes) {
      this.pendingBytes += chunk.length;
      return [];
    }
    const message = assembly.subarray(0, this.neededBytes);
    this.lent.set(message, assembly);
    this.assembly = undefined;
    return [message, ...this.cut(chunk.subarray(missingBytes))];
  }

  private join(): Buffer {
    const only = this.chunks[0];
    return this.chunks.length === 1 && only ? only : Buffer.concat(this.chunks, this.pendingBytes);
  }

  private cut(stream: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    let at = 0;
    this.neededBytes = headerBytes;
    while (stream.length - at >= headerBytes) {
      const length = stream.readInt32LE(at);
      if (length < headerBytes || length > maxMessageBytes) {
        throw new MongoError(
          'ProtocolError',
          `message length ${length} is not between ${headerBytes} and ${maxMessageBytes}`,
        );
      }
      if (stream.length - at < length) {
        this.neededBytes = length;
        break;
      }
      messages.push(stream.subarray(at, at + length));
      at += length;
    }
    this.keep(stream.subarray(at));
    return messages;
  }

  private keep(rest: Buffer): void {
    this.pendingBytes = rest.length;
    this.chunks = [];
    if (this.neededBytes >= largeMessageBytes) {
      this.assembly = messageBuffers.take(this.neededBytes);
      rest.copy(this.assembly);
    } else if (rest.length > 0) this.chunks.push(rest);
  }
}
