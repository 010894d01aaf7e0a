/** A growing buffer for keys; whole stretches can be inverted for descending fields. Reused between keys. */
export class KeyWriter {
  private buffer = Buffer.allocUnsafe(256);
  at = 0;

  reset(length = 0): void {
    this.at = length;
  }

  /** A copy of the bytes written since `start`. */
  take(start = 0): Buffer {
    // From the pool: keys are small, and an allocation of its own would cost more than all the encoding.
    const taken = Buffer.allocUnsafe(this.at - start);
    this.buffer.copy(taken, 0, start, this.at);
    return taken;
  }

  byte(value: number): void {
    this.reserve(1);
    this.buffer[this.at++] = value;
  }

  bytes(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    // For short stretches a loop beats the call into native copy.
    if (end - start < 24) for (let i = start; i < end; i++) this.buffer[this.at++] = source[i] as number;
    else {
      source.copy(this.buffer, this.at, start, end);
      this.at += end - start;
    }
  }

  uint32(value: number): void {
    this.reserve(4);
    this.at = this.buffer.writeUInt32BE(value >>> 0, this.at);
  }

  /** Text ended by 0; inner 0 and 1 are written as 1 1 and 1 2, so order holds and nothing inside looks like the end. */
  text(source: Buffer, start: number, end: number): void {
    this.reserve((end - start) * 2 + 1);
    const { buffer } = this;
    let { at } = this;
    for (let i = start; i < end; i++) {
      const byte = source[i] as number;
      if (byte > 1) buffer[at++] = byte;
      else {
        buffer[at++] = 1;
        buffer[at++] = byte + 1;
      }
    }
    buffer[at++] = 0;
    this.at = at;
  }

  invertFrom(start: number): void {
    for (let i = start; i < this.at; i++) this.buffer[i] = ~(this.buffer[i] as number);
  }

  private reserve(size: number): void {
    const needed = this.at + size;
    if (needed <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(grown, 0, 0, this.at);
    this.buffer = grown;
  }
}
