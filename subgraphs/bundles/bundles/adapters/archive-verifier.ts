import type { RandomAccess } from '../../../../shared/evidence/edx/stored-archive.js';
import { nodePlatform } from '../../../../verifier/node/node-platform.js';
import type { Source } from '../../../../verifier/platform.js';
import type { VerificationReport } from '../../../../verifier/report.js';
import { verifyBundle } from '../../../../verifier/verify-bundle.js';

/** Block size of the write-once store; a smaller read would verify the whole block too. */
const BLOCK_BYTES = 1_048_576;
const READ_AHEAD_BLOCKS = 4;
/** Places that the engine reads at once: four lists of events, and documents. */
const PLACES = 5;

/**
 * Verifies stored bytes with the engine that ships in every bundle.
 *
 * @param keySet JSON Web Key Set of the trusted keys and their history
 * @param expected the bundle that the archive must belong to
 */
export const verifyArchive = (
  bytes: RandomAccess,
  keySet: string,
  expected: NonNullable<NonNullable<Parameters<typeof verifyBundle>[2]>['expected']>,
): Promise<VerificationReport> => verifyBundle(aheadReading(bytes), nodePlatform, { keySet, expected });

/** The engine reads small pieces in several places; the store gets requests for megabytes. */
function aheadReading(bytes: RandomAccess): Source {
  /** Cached blocks, latest first. */
  const held: { readonly from: number; readonly fetched: Buffer }[] = [];
  const fetch = async (start: number, end: number): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes.read(start, end)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  return {
    sizeBytes: bytes.sizeBytes,
    async read(offset, length) {
      const known = held.find(({ from, fetched }) => offset >= from && offset + length <= from + fetched.length);
      if (known !== undefined) return known.fetched.subarray(offset - known.from, offset - known.from + length);
      const start = offset - (offset % BLOCK_BYTES);
      const end = Math.min(bytes.sizeBytes, Math.max(offset + length, start + READ_AHEAD_BLOCKS * BLOCK_BYTES));
      if (length === 0) return Buffer.alloc(0);
      const fetched = await fetch(start, end);
      // Pieces larger than the read-ahead are not cached.
      if (length <= READ_AHEAD_BLOCKS * BLOCK_BYTES) held.unshift({ from: start, fetched });
      if (held.length > PLACES) held.pop();
      return fetched.subarray(offset - start, offset - start + length);
    },
  };
}
