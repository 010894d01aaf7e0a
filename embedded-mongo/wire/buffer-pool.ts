/** Below this Node's own pool, or the allocator, is as quick. */
export const leastPooledBytes = 8 * 1024;
/** The largest buffer kept: a batch whose size the client leaves open, with room to spare. */
const mostPooledBytes = 4 * 1024 * 1024;
/** Kept in all, of every size together. */
const keptBytes = 32 * 1024 * 1024;

/**
 * Buffers for large messages, used again. Memory outside of the JavaScript heap weighs on the collector as if it were
 * part of it: a new buffer for every chunk of a file costs a full collection for every 64 MB, and the system's time to
 * map and clear pages.
 */
export class BufferPool {
  private readonly free = new Map<number, Buffer[]>();
  private freeBytes = 0;

  /** A buffer of at least this size, its contents whatever was there before. */
  take(sizeBytes: number): Buffer {
    const roomBytes = roomFor(sizeBytes);
    const known = this.free.get(roomBytes)?.pop();
    if (!known) return Buffer.allocUnsafeSlow(roomBytes);
    this.freeBytes -= roomBytes;
    return known;
  }

  /** Nobody may hold any part of it afterwards. */
  giveBack(buffer: Buffer): void {
    if (buffer.length > mostPooledBytes || this.freeBytes + buffer.length > keptBytes) return;
    const others = this.free.get(buffer.length);
    if (others) others.push(buffer);
    else this.free.set(buffer.length, [buffer]);
    this.freeBytes += buffer.length;
  }
}

/** Sizes in steps of two, so that few of them serve all; beyond what is kept, exactly what is asked for. */
function roomFor(sizeBytes: number): number {
  if (sizeBytes > mostPooledBytes) return sizeBytes;
  let roomBytes = leastPooledBytes;
  while (roomBytes < sizeBytes) roomBytes *= 2;
  return roomBytes;
}

/** One for all connections: commands run one after the other, so few are in use at once. */
export const messageBuffers = new BufferPool();
