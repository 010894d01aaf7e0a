import { z } from 'zod';
import { SIGNING_PURPOSES } from './purposes.js';

// The signer holds every private key, in a separate folder and process (docs/signer.md). These are its questions and answers.

/** What the signer checks before it signs; each purpose of a key has its own. */
export const SigningEvidence = z.discriminatedUnion('purpose', [
  z.object({
    purpose: z.literal('CHECKPOINT'),
    /** Size of the tree that the proof begins with: that of the signer's last note of the log, 0 before the first. */
    from: z.int().nonnegative(),
    /** Consistency proof from that size to the note's (RFC 9162 section 2.1.4), base64. */
    proof: z.array(z.string()).max(128),
  }),
  z.object({
    purpose: z.literal('BUNDLE'),
    /** proofs/sealing.json: the fact `bundle.sealing` of this manifest, proven in a checkpoint of this signer. */
    sealing: z.string(),
    /** The signature of the manifest before it contained one, base64url; absent at the first of the two signatures. */
    contained: z.string().exactOptional(),
  }),
  z.object({ purpose: z.literal('SEGMENT') }),
]);
export type SigningEvidence = z.infer<typeof SigningEvidence>;

/** The tree of the last note that the signer signed for an origin. */
export const SignedTree = z.object({
  origin: z.string(),
  size: z.int().nonnegative(),
  /** In hex. */
  root: z.string(),
  /** RFC 3339. */
  signed_at: z.string(),
});
export type SignedTree = z.infer<typeof SignedTree>;

export const SignerKeyPlace = z.object({
  key_id: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/),
  tenant_id: z.string(),
  purpose: z.enum(SIGNING_PURPOSES),
});
export type SignerKeyPlace = z.infer<typeof SignerKeyPlace>;

export const SIGNER_REFUSALS = [
  'UNKNOWN_KEY',
  'KEY_ENDED',
  'WRONG_PURPOSE',
  'MALFORMED',
  'ANOTHER_LOG',
  'TREE_SMALLER',
  'NOT_CONSISTENT',
  'INCARNATION_NOT_ACCEPTED',
  'NOT_SEALED',
] as const;
export type SignerRefusalCode = (typeof SIGNER_REFUSALS)[number];

/** The signer answered, and does not sign this. */
export class SignerRefusal extends Error {
  readonly code: SignerRefusalCode;

  constructor(code: SignerRefusalCode, detail: string) {
    super(`the signer refuses: ${detail}`);
    this.code = code;
  }
}

/** The signer did not answer, or not in its language. */
export class SignerUnavailable extends Error {}

export const SignerStatus = z.object({ keys: z.int().nonnegative(), signatures: z.int().nonnegative() });
export type SignerStatus = z.infer<typeof SignerStatus>;

export interface Signer {
  /** 32 bytes from which the service derives the keys of its data. */
  dataKey(): Promise<Buffer>;
  /** Creates a key, or finds the one of this id. @returns the public point, base64url */
  createKey(place: SignerKeyPlace): Promise<string>;
  /** The key signs nothing from now on, whatever the database says. */
  endKey(keyId: string): Promise<void>;
  /** 64 bytes of Ed25519 over `message`. @throws SignerRefusal */
  sign(keyId: string, message: Uint8Array, evidence: SigningEvidence): Promise<Buffer>;
  /** Null if it has signed none. */
  lastSigned(origin: string): Promise<SignedTree | null>;
  status(): Promise<SignerStatus>;
}
