import type { RandomAccess } from '../../../shared/evidence/edx/stored-archive.js';
import { nodePlatform } from '../../../verifier/node/node-platform.js';
import type { Source } from '../../../verifier/platform.js';
import type { VerificationReport } from '../../../verifier/report.js';
import { verifyBundle } from '../../../verifier/verify-bundle.js';

/** Blocks of the write-once store; a read of less would check a whole block as well. */
const BLOCK_BYTES = 1_048_576;
const READ_AHEAD_BLOCKS = 4;
/** The engine reads in so many places at once: the four lists of events side by side, and documents. */
const PLACES = 5;

/**
 * Runs the very engine that travels in every bundle over stored bytes.
 *
 * @param keySet a JSON Web Key Set with the keys that are trusted, and their history.
 */
export const verifyArchive = (bytes: RandomAccess, keySet: string): Promise<VerificationReport> =>
  verifyBundle(aheadReading(bytes), nodePlatform, { keySet });

/** The engine reads small pieces in order, place by place; the store is asked for megabytes. */
function aheadReading(bytes: RandomAccess): Source {
  /** What was fetched last comes first. */
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
      // A piece that is larger than what is read ahead is handed out, and not kept.
      if (length <= READ_AHEAD_BLOCKS * BLOCK_BYTES) held.unshift({ from: start, fetched });
      if (held.length > PLACES) held.pop();
      return fetched.subarray(offset - start, offset - start + length);
    },
  };
}
