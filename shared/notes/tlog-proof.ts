import { leafHash } from '../merkle/hashes.js';
import { verifyInclusion } from '../merkle/verify-proofs.js';
import { fromDecimal, hashFromBase64 } from './base64.js';
import { openCheckpoint, type TrustedCheckpoint, type TrustPolicy } from './open-checkpoint.js';
import { NoteFault } from './signed-note.js';

/** An inclusion proof with the checkpoint that it leads to (C2SP tlog-proof). */
export interface TlogProof {
  readonly index: number;
  /** From the leaf's sibling up. */
  readonly hashes: readonly Uint8Array[];
  /** The signed note. */
  readonly checkpoint: string;
}

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';
/** A tree of safe integers is no deeper. */
const MAX_HASHES = 63;

export const formatTlogProof = ({ index, hashes, checkpoint }: TlogProof): string =>
  [FIRST_LINE, `index ${index}`, ...hashes.map((hash) => Buffer.from(hash).toString('base64')), '', checkpoint].join(
    '\n',
  );

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
 * Whether the proof shows that `entry` stands in the log that `policy` trusts.
 *
 * @param entry 32 bytes: the entry_hash.
 * @returns the checkpoint that it stands in, and where. @throws NoteFault
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
