import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { SIGNING_PURPOSES, type SigningPurpose } from '../signing/purposes.js';
import { SignedTree, type SigningEvidence } from '../signing/signer.js';
import { branded, defineCall, list, TEXT, word } from './call.js';

export { SIGNING_PURPOSES, type SigningPurpose };

/**
 * Changes of a key. They are listed apart because verdicts differ: signatures before a rotation or a retirement stay good;
 * signatures before a compromise stay good only if something else than the signature proves their time.
 */
export const SIGNING_KEY_CHANGES = ['CREATED', 'ACTIVATED', 'ROTATED', 'RETIRED', 'REVOKED', 'COMPROMISED'] as const;

const SigningKeyChange = z.object({
  change: z.enum(SIGNING_KEY_CHANGES),
  at: z.string(),
  /** Of a revocation. */
  reason: z.string().exactOptional(),
  /** Of a revocation: signatures of this instant and later are not to be trusted. */
  effective_at: z.string().exactOptional(),
});
export type SigningKeyChange = z.infer<typeof SigningKeyChange>;

/** A signing key as anyone may see it: the facts that a signature is verified by. */
const PublicSigningKey = z.object({
  key_id: z.string(),
  tenant_id: branded<TenantId>(),
  purpose: z.enum(SIGNING_PURPOSES),
  algorithm: z.literal('Ed25519'),
  public_key: z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() }),
  status: z.enum(['PENDING', 'ACTIVE', 'RETIRED', 'REVOKED']),
  /** Start and end of the time in which it signs; null for not yet. */
  from: z.string().nullable(),
  until: z.string().nullable(),
  /** Signatures of `effective_at` and later are not to be trusted. */
  revocation: z.object({ reason: z.string(), effective_at: z.string() }).nullable(),
  /** Oldest first. */
  history: list(SigningKeyChange),
});
export type PublicSigningKey = z.infer<typeof PublicSigningKey>;

/** The signing keys of tenants; private keys never leave the signer (docs/signer.md). */
export interface SigningKeys {
  /** The key that signs now; made on first need, once however many callers ask. */
  activeKey(tenantId: TenantId, purpose: SigningPurpose): Promise<PublicSigningKey>;
  /**
   * 64 bytes of Ed25519 over `bytes`.
   *
   * @param evidence what the signer checks before it signs
   * @throws NOT_FOUND; INVALID_TRANSITION when the key is no longer the active one; CONFLICT when the signer refuses;
   *   UNAVAILABLE when it does not answer
   */
  sign(keyId: string, bytes: Uint8Array, evidence: SigningEvidence): Promise<Buffer>;
  /** The tree of the last note that the signer signed for an origin; null for none. @throws UNAVAILABLE */
  lastSigned(origin: string): Promise<SignedTree | null>;
  /** @throws NOT_FOUND */
  publicKey(keyId: string): Promise<PublicSigningKey>;
}

export const activeSigningKey = defineCall({
  subgraph: 'admin',
  kind: 'mutation',
  name: 'activeSigningKey',
  input: { purpose: word(z.enum(SIGNING_PURPOSES)) },
  output: PublicSigningKey,
});

export const signWithKey = defineCall({
  subgraph: 'admin',
  kind: 'mutation',
  name: 'signWithKey',
  input: { key_id: TEXT, message: TEXT, evidence: TEXT },
  output: z.string(),
});

export const lastSignedTree = defineCall({
  subgraph: 'admin',
  kind: 'query',
  name: 'lastSignedTree',
  input: { origin: TEXT },
  output: SignedTree.nullable(),
});

export const publicSigningKey = defineCall({
  subgraph: 'admin',
  kind: 'query',
  name: 'publicSigningKey',
  input: { key_id: TEXT },
  output: PublicSigningKey,
});
