import { problem } from '../../errors/problem.js';

const LF = 0x0a;
/** A redacted event of the largest size, each of its leaves with its salt, stays far below. */
const MAX_LINE_BYTES = 67_108_864;

/** Lines without their LF; a last line that has none counts too. @throws INTEGRITY_FAILURE for a line without end */
export async function* byteLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, start)) {
      const tail = bytes.subarray(start, at);
      yield heldBytes === 0 ? tail : Buffer.concat([...held, tail]);
      [held, heldBytes] = [[], 0];
      start = at + 1;
    }
    if (start === bytes.length) continue;
    // A copy: the store may use its block again.
    held.push(Buffer.from(bytes.subarray(start)));
    heldBytes += bytes.length - start;
    if (heldBytes > MAX_LINE_BYTES)
      throw problem('INTEGRITY_FAILURE', { internal: 'a line of the archive has no end' });
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}
