import type { Ed25519Jwk } from '../crypto/ed25519.js';
import type { TenantId } from '../ids/tenant.js';

/** What a key signs, and nothing else: bundle manifests, checkpoints, sealed segments. */
export const SIGNING_PURPOSES = ['BUNDLE', 'CHECKPOINT', 'SEGMENT'] as const;
export type SigningPurpose = (typeof SIGNING_PURPOSES)[number];

/**
 * What becomes of a key. Told apart because verdicts differ: what was signed before a rotation or a retirement stays good,
 * what was signed before a compromise stays good only where its time is shown by something else than the signature.
 */
export const SIGNING_KEY_CHANGES = ['CREATED', 'ACTIVATED', 'ROTATED', 'RETIRED', 'REVOKED', 'COMPROMISED'] as const;

export interface SigningKeyChange {
  readonly change: (typeof SIGNING_KEY_CHANGES)[number];
  readonly at: string;
  /** Of a revocation. */
  readonly reason?: string;
  /** Of a revocation: signatures of this instant and later are not to be trusted. */
  readonly effective_at?: string;
}

/** A signing key as anyone may see it: what a signature is judged by. */
export interface PublicSigningKey {
  readonly key_id: string;
  readonly tenant_id: TenantId;
  readonly purpose: SigningPurpose;
  readonly algorithm: 'Ed25519';
  readonly public_key: Ed25519Jwk;
  readonly status: 'PENDING' | 'ACTIVE' | 'RETIRED' | 'REVOKED';
  /** When it became, and ceased to be, the key that signs; null for not yet. */
  readonly from: string | null;
  readonly until: string | null;
  /** Signatures of `effective_at` and later are not to be trusted. */
  readonly revocation: { readonly reason: string; readonly effective_at: string } | null;
  /** Oldest first. */
  readonly history: readonly SigningKeyChange[];
}

/** The signing keys of tenants; private keys never leave the admin subgraph. */
export interface SigningKeys {
  /** The key that signs now; made on first need, of many callers at once by one. */
  activeKey(tenantId: TenantId, purpose: SigningPurpose): Promise<PublicSigningKey>;
  /** 64 bytes of Ed25519 over `bytes`. @throws NOT_FOUND; INVALID_TRANSITION when the key is not the active one any more */
  sign(keyId: string, bytes: Uint8Array): Promise<Buffer>;
  /** @throws NOT_FOUND */
  publicKey(keyId: string): Promise<PublicSigningKey>;
}
