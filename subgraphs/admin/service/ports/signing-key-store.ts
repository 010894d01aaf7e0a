import type { SigningPurpose } from '../../../../shared/contracts/signing-keys.js';
import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { RevocationReason, SigningKeyStatus } from '../../domain/signing-key-states.js';
import type { AdminEffect } from './admin-effects.js';

export interface SigningKeyRecord {
  readonly key_id: string;
  readonly tenant_id: TenantId;
  readonly purpose: SigningPurpose;
  readonly algorithm: 'Ed25519';
  readonly status: SigningKeyStatus;
  /** The point of the public key, base64url (RFC 8037). */
  readonly x: string;
  /** The seed under the master key, base64. Never leaves the service room. */
  readonly wrapped_seed: string;
  /**
   * Which activation of the tenant and purpose this was, from 1; null before it. Unique: of two keys activated at once one
   * comes first, and the greatest is the active one.
   */
  readonly activation: number | null;
  readonly created_at: Date;
  readonly created_by: string;
  readonly activated_at: Date | null;
  readonly retired_at: Date | null;
  /** Why it signs no more: another key took its place, or it was retired by itself. */
  readonly retirement: 'ROTATED' | 'RETIRED' | null;
  readonly revoked_at: Date | null;
  readonly revocation_reason: RevocationReason | null;
  readonly revocation_effective_at: Date | null;
}

export interface SigningKeyQuery extends ListWindow {
  readonly purpose?: SigningPurpose | undefined;
  readonly status?: SigningKeyStatus | undefined;
}

type Dates =
  | 'activated_at'
  | 'retired_at'
  | 'retirement'
  | 'revoked_at'
  | 'revocation_reason'
  | 'revocation_effective_at';

/** A change made only while the key is in this state, with what follows from it. */
export interface SigningKeyChange {
  readonly from: SigningKeyStatus;
  readonly set: Partial<Pick<SigningKeyRecord, 'status' | 'activation' | Dates>>;
  readonly pending: readonly AdminEffect[];
}

/** Signing keys of one tenant. */
export interface TenantSigningKeys {
  get(keyId: string): Promise<SigningKeyRecord | null>;
  /** Up to `limit + 1` rows in order. */
  list(query: SigningKeyQuery): Promise<readonly SigningKeyRecord[]>;
  /** Oldest first, at most `limit`. */
  all(limit: number): Promise<readonly SigningKeyRecord[]>;
  /** The key that was activated last, whatever became of it. */
  lastActivated(purpose: SigningPurpose): Promise<SigningKeyRecord | null>;
  /** Keys that are ACTIVE though a later one was activated. */
  superseded(purpose: SigningPurpose, before: number): Promise<readonly SigningKeyRecord[]>;
  /** Null when the key is not there, or not in that state; TAKEN when another took this activation. */
  change(keyId: string, change: SigningKeyChange): Promise<SigningKeyRecord | 'TAKEN' | null>;
}

export interface SigningKeyStore {
  /** False when the id, or the activation, is taken. Durable when it resolves. */
  insert(key: SigningKeyRecord, pending: readonly AdminEffect[]): Promise<boolean>;
  forTenant(tenantId: TenantId): TenantSigningKeys;
  /** By id alone: for the port, whose callers hold ids that the registry gave them. */
  byId(keyId: string): Promise<SigningKeyRecord | null>;
}
