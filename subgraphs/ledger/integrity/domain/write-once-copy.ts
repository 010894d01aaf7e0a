import { sha256Hex } from '../../../../shared/crypto/hash.js';
import { type Committer, SEED_BYTES } from '../../../../shared/evidence/commitments.js';

/** A write-once record as it is stored. */
export interface StoredCopy {
  readonly bytes: Buffer;
  readonly seed?: Buffer;
}

/** What the ledger says of a write-once record. */
export interface CopiedEntry {
  readonly worm_sha256: string;
  /** The commitment to record and seed; null for a record of no entry, which has no seed; undefined if it is unknown. */
  readonly commit: string | null | undefined;
  /** The row's own record and seed: equal bytes need no second hash, because the row is verified anyway. */
  readonly record?: Buffer | undefined;
  readonly seed?: Buffer | undefined;
}

/** BYTES: they do not hash to their name. SEED: it is missing, malformed, or does not give the commitment. */
export type CopyFault = 'BYTES' | 'SEED';

/** Says in words what does not hold. */
export const COPY_FAULTS: Readonly<Record<CopyFault, string>> = {
  BYTES: 'the bytes of the record with their hash',
  SEED: 'the seed of the record with the commitment of its entry',
};

/**
 * Verifies a whole write-once record. Verification, scrub, reconciliation and repair all decide by this function.
 *
 * @returns null for a sound record.
 */
export function copyFault({ bytes, seed }: StoredCopy, entry: CopiedEntry, committer: Committer): CopyFault | null {
  const isEqual = entry.record !== undefined && bytes.equals(entry.record);
  if (!isEqual && sha256Hex(bytes) !== entry.worm_sha256) return 'BYTES';
  if (entry.commit === undefined) return null;
  if (entry.commit === null) return seed === undefined ? null : 'SEED';
  if (seed?.length !== SEED_BYTES) return 'SEED';
  if (isEqual && entry.seed !== undefined && seed.equals(entry.seed)) return null;
  return committer.recordCommit(seed, bytes) === entry.commit ? null : 'SEED';
}
