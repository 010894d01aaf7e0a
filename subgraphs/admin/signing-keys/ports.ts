import type { SigningPurpose } from '../../../shared/contracts/signing-keys.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RowReader } from '../../../shared/records/row-store.js';
import type { Stored } from '../../../shared/records/stored.js';
import type { AdminEffect } from '../parts.js';
import type { RevocationReason, SigningKeyStatus } from './domain.js';
import type { SigningKey } from './schema.js';

export type SigningKeyRecord = Stored<
  SigningKey,
  {
    /** The point of the public key, base64url (RFC 8037). */
    x: string;
    /**
     * Number of the activation for the tenant and purpose, from 1; null before it. Unique: concurrent activations get an order,
     * and the greatest is the active key.
     */
    activation: number | null;
    /** Cause of the retirement: rotation by another key, or a request. */
    retirement: 'ROTATED' | 'RETIRED' | null;
    revocation_reason: RevocationReason | null;
  },
  'public_key' | 'thumbprint' | 'history'
>;

type ChangedNames =
  | 'status'
  | 'activation'
  | 'activated_at'
  | 'retired_at'
  | 'retirement'
  | 'revoked_at'
  | 'revocation_reason'
  | 'revocation_effective_at';

/** A change with its effects; it applies only in this state. */
export interface SigningKeyChange {
  readonly from: SigningKeyStatus;
  readonly set: Partial<Pick<SigningKeyRecord, ChangedNames>>;
  readonly pending: readonly AdminEffect[];
}

/** Signing keys of one tenant. */
export interface TenantSigningKeys extends RowReader<SigningKeyRecord> {
  /** Returns the keys, oldest first, at most `limit`. */
  all(limit: number): Promise<readonly SigningKeyRecord[]>;
  /** Returns the key that was activated last, in any state. */
  lastActivated(purpose: SigningPurpose): Promise<SigningKeyRecord | null>;
  /** Returns the keys that are still ACTIVE after a later activation. */
  superseded(purpose: SigningPurpose, before: number): Promise<readonly SigningKeyRecord[]>;
  /** @returns null if there is no such key in that state; `taken` if another key took this activation. */
  change(keyId: string, change: SigningKeyChange): Promise<SigningKeyRecord | 'taken' | null>;
}

export interface SigningKeyStore {
  /** @returns false if the id or the activation is taken. Durable when it resolves. */
  insert(key: SigningKeyRecord, pending: readonly AdminEffect[]): Promise<boolean>;
  forTenant(tenantId: TenantId): TenantSigningKeys;
  /** Returns a key by id alone, for other parts of the service, which have the id from the registry. */
  byId(keyId: string): Promise<SigningKeyRecord | null>;
}
