import { leafHash } from '../../../shared/merkle/hashes.js';
import { verifyInclusion } from '../../../shared/merkle/verify-proofs.js';
import { fromDecimal, hashFromBase64 } from '../../../shared/notes/base64.js';
import type { formatTlogProof } from '../../../shared/notes/checkpoint.js';
import { openCheckpoint, type TrustedCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { NoteFault } from '../../../shared/notes/signed-note.js';

// A reader of C2SP tlog-proof, as a holder of a proof would write it. The service itself only writes proofs.

type TlogProof = Parameters<typeof formatTlogProof>[0];
type TrustPolicy = Parameters<typeof openCheckpoint>[1];

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';
/** A tree of safe integers is no deeper. */
const MAX_HASHES = 63;

/** Judges the form alone. @throws NoteFault */
export function parseTlogProof(proof: string): TlogProof {
  const end = proof.indexOf('\n\n');
  const [first, ...lines] = proof.slice(0, Math.max(0, end)).split('\n');
  // The extra data is not authenticated and means nothing here.
  if (lines[0]?.startsWith('extra ')) lines.shift();
  const index = fromDecimal(lines[0]?.match(/^index (.*)$/)?.[1] ?? '');
  const hashes = lines.slice(1).flatMap((line) => hashFromBase64(line) ?? []);
  if (first !== FIRST_LINE || index === undefined || hashes.length !== lines.length - 1 || hashes.length > MAX_HASHES) {
    throw new NoteFault('not a proof in the form of tlog-proof');
  }
  return { index, hashes, checkpoint: proof.slice(end + 2) };
}

/**
 * Verifies that `entry` is in the log that `policy` trusts.
 *
 * @param entry 32 bytes: the entry_hash.
 * @returns the checkpoint that contains the entry, and its place. @throws NoteFault
 */
export function verifyTlogProof(
  proof: string,
  entry: Uint8Array,
  policy: TrustPolicy,
): { readonly index: number; readonly checkpoint: TrustedCheckpoint } {
  const { index, hashes, checkpoint: note } = parseTlogProof(proof);
  const checkpoint = openCheckpoint(note, policy);
  const { size, root } = checkpoint;
  if (!verifyInclusion({ leaf: leafHash(entry), index, size, root, proof: hashes })) {
    throw new NoteFault('the entry is not in the tree of this checkpoint');
  }
  return { index, checkpoint };
}
