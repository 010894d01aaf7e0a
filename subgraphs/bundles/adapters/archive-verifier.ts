import type { RandomAccess } from '../../../shared/evidence/edx/stored-archive.js';
import { nodePlatform } from '../../../verifier/node/node-platform.js';
import type { Source } from '../../../verifier/platform.js';
import type { VerificationReport } from '../../../verifier/report.js';
import { verifyBundle } from '../../../verifier/verify-bundle.js';

/** Blocks of the write-once store; a read of less would check a whole block as well. */
const BLOCK_BYTES = 1_048_576;
const READ_AHEAD_BLOCKS = 8;

/**
 * Runs the very engine that travels in every bundle over stored bytes.
 *
 * @param keySet a JSON Web Key Set with the keys that are trusted, and their history.
 */
export const verifyArchive = (bytes: RandomAccess, keySet: string): Promise<VerificationReport> =>
  verifyBundle(aheadReading(bytes), nodePlatform, { keySet });

/** The engine reads small pieces in order; the store is asked for megabytes. */
function aheadReading(bytes: RandomAccess): Source {
  let heldFrom = 0;
  let held: Buffer = Buffer.alloc(0);
  const fetch = async (start: number, end: number): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes.read(start, end)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  return {
    sizeBytes: bytes.sizeBytes,
    async read(offset, length) {
      if (offset >= heldFrom && offset + length <= heldFrom + held.length) {
        return held.subarray(offset - heldFrom, offset - heldFrom + length);
      }
      const start = offset - (offset % BLOCK_BYTES);
      const end = Math.min(bytes.sizeBytes, Math.max(offset + length, start + READ_AHEAD_BLOCKS * BLOCK_BYTES));
      if (length === 0) return Buffer.alloc(0);
      const fetched = await fetch(start, end);
      // A piece that is larger than what is read ahead is handed out, and not kept.
      if (length <= READ_AHEAD_BLOCKS * BLOCK_BYTES) [held, heldFrom] = [fetched, start];
      return fetched.subarray(offset - start, offset - start + length);
    },
  };
}
