import { type Ed25519Jwk, ed25519Verify } from '../../../../shared/crypto/ed25519.js';
import { canonicalJson } from '../../../../shared/json/canonical.js';
import { CompactRange } from '../../../../shared/merkle/compact-range.js';
import { leafHash } from '../../../../shared/merkle/hashes.js';

/** The content of a segment before it is signed; see SegmentSeal in shared/worm. */
export interface SegmentContent {
  readonly first: string | null;
  readonly last: string | null;
  readonly count: number;
  readonly bytes: number;
  readonly merkle_root: string;
  readonly prev_segment_root: string | null;
  readonly sealed_at: string;
}

interface Signed extends SegmentContent {
  readonly signature: string;
}

/** Sums up a segment's records, given in the order of their hashes. */
export class SegmentSum {
  readonly #range: CompactRange;
  #first: string | null;
  #last: string | null;
  #bytes: number;

  /** @param kept an earlier sum (`state`) to continue from. */
  constructor(kept: SegmentSumState = NOTHING_YET) {
    const hashes = kept.hashes.map((hash) => Buffer.from(hash, 'hex'));
    this.#range = new CompactRange(kept.count, hashes);
    this.#first = kept.first;
    this.#last = kept.last;
    this.#bytes = kept.bytes;
  }

  add(sha256: string, sizeBytes: number): void {
    this.#range.append(leafHash(Buffer.from(sha256, 'hex')));
    this.#first ??= sha256;
    this.#last = sha256;
    this.#bytes += sizeBytes;
  }

  /** Returns the state to keep between two parts of a walk. */
  state(): SegmentSumState {
    const hashes = this.#range.hashes.map((hash) => hash.toString('hex'));
    return { first: this.#first, last: this.#last, count: this.#range.size, bytes: this.#bytes, hashes };
  }

  content(): Pick<SegmentContent, 'first' | 'last' | 'count' | 'bytes' | 'merkle_root'> {
    const { hashes: _, ...sum } = this.state();
    return { ...sum, merkle_root: this.#range.root().toString('hex') };
  }
}

export interface SegmentSumState {
  readonly first: string | null;
  readonly last: string | null;
  readonly count: number;
  readonly bytes: number;
  readonly hashes: readonly string[];
}

const NOTHING_YET: SegmentSumState = { first: null, last: null, count: 0, bytes: 0, hashes: [] };

/** Returns the bytes that a SEGMENT key signs: JCS of the sealing entry's statement (evidence.md section 4). */
export function sealManifest(segment: string, content: SegmentContent): Buffer {
  const { first, last, count, bytes, merkle_root, prev_segment_root, sealed_at } = content;
  const sum = { first, last, count, bytes, merkle_root, prev_segment_root, sealed_at };
  return Buffer.from(canonicalJson({ schema: 'eas.segment-manifest/v1', segment, ...sum }));
}

/** Checks that the seal's signature over the manifest is by that key. */
export const sealIsSigned = (segment: string, seal: Signed, key: Ed25519Jwk): boolean =>
  ed25519Verify(key, sealManifest(segment, seal), Buffer.from(seal.signature, 'base64url'));

/** Returns the members in which a sum differs from its seal. */
export function differencesFromSeal(
  seal: Pick<SegmentContent, 'first' | 'last' | 'count' | 'bytes' | 'merkle_root'>,
  found: Pick<SegmentContent, 'first' | 'last' | 'count' | 'bytes' | 'merkle_root'>,
): string[] {
  const members = ['first', 'last', 'count', 'bytes', 'merkle_root'] as const;
  return members.filter((name) => seal[name] !== found[name]);
}
