import { MongoError } from '../errors.js';

export const headerBytes = 16;
/** What hello announces as `maxMessageSizeBytes`; a longer frame closes the connection. */
export const maxMessageBytes = 48_000_000;

/** Cuts the byte stream of one connection into whole messages. Chunks are joined once, when a message is complete. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private pendingBytes = 0;
  private neededBytes = headerBytes;

  /** Takes a chunk and gives the messages it completes; throws ProtocolError when the stream cannot be followed. */
  push(chunk: Buffer): Buffer[] {
    this.chunks.push(chunk);
    this.pendingBytes += chunk.length;
    if (this.pendingBytes < this.neededBytes) return [];
    return this.cut(this.join());
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
    const rest = stream.subarray(at);
    this.chunks = rest.length > 0 ? [rest] : [];
    this.pendingBytes = rest.length;
    return messages;
  }
}
