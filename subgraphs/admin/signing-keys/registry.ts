import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { SIGNING_PURPOSES, type SigningPurpose } from '../../../shared/contracts/signing-keys.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import type { Ids, Randomness } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type LedgerEntryEffect, ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import type { Signer } from '../../../shared/signing/signer.js';
import type { RetireFormerEffect } from '../parts.js';
import { asked } from './asked.js';
import type { SigningKeyRecord, SigningKeyStore } from './ports.js';

export interface SigningKeyDeps {
  readonly signingKeys: SigningKeyStore;
  readonly signer: Signer;
  readonly masterKey: MasterKey;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly clock: Clock;
}

interface FreshKey {
  readonly tenantId: TenantId;
  readonly purpose: SigningPurpose;
  readonly createdBy: string;
}

/** Has the signer make a new key, which is PENDING. @throws UNAVAILABLE */
export async function freshSigningKey(
  deps: Pick<SigningKeyDeps, 'signer' | 'clock'>,
  { ids }: Pick<SigningKeyDeps, 'ids'>,
  { tenantId, purpose, createdBy }: FreshKey,
): Promise<SigningKeyRecord> {
  const place = { key_id: ids.next('signingKey'), tenant_id: tenantId };
  return {
    ...place,
    purpose,
    algorithm: 'Ed25519',
    status: 'PENDING',
    x: await asked(() => deps.signer.createKey({ ...place, purpose })),
    activation: null,
    created_at: new Date(deps.clock.nowMs()),
    created_by: createdBy,
    activated_at: null,
    retired_at: null,
    retirement: null,
    revoked_at: null,
    revocation_reason: null,
    revocation_effective_at: null,
  };
}

type KeyNames = Pick<SigningKeyRecord, 'key_id' | 'tenant_id' | 'purpose' | 'x'>;

/** Builds the `_system` entry of a key's change. It contains the public key, so that the ledger proves it. */
export const signingKeyAct = (
  ids: Pick<Ids, 'next'>,
  key: KeyNames,
  {
    type,
    atMs,
    by,
    more = {},
  }: { readonly type: string; readonly atMs: number; readonly by: JsonObject; readonly more?: JsonObject },
): LedgerEntryEffect =>
  ledgerEntryEffect(ids, {
    tenant_id: key.tenant_id,
    source_system: '_system',
    entry: {
      event_family: 'signing-key',
      event_type: type,
      event_effective_timestamp: isoTime(atMs),
      payload: { signing_key_id: key.key_id, purpose: key.purpose, public_key: key.x, ...more, ...by },
    },
  });

/** Builds the effect of an activation that retires the former key. */
export const retireFormer = (
  ids: Pick<Ids, 'next'>,
  key: KeyNames,
  { activation, at, by }: { readonly activation: number; readonly at: Date; readonly by: JsonObject },
): RetireFormerEffect => ({
  id: ids.next('effect'),
  kind: 'retire-former',
  tenant_id: key.tenant_id,
  purpose: key.purpose,
  activation,
  at,
  done_by: by,
});

/** Retires the superseded keys; repeating it changes nothing. */
export const retireFormerPerformer =
  (deps: Pick<SigningKeyDeps, 'signingKeys' | 'ids' | 'signer'>) =>
  async ({ tenant_id, purpose, activation, at, done_by }: RetireFormerEffect): Promise<void> => {
    const keys = deps.signingKeys.forTenant(tenant_id);
    for (const former of await keys.superseded(purpose, activation)) {
      await keys.change(former.key_id, {
        from: 'ACTIVE',
        set: { status: 'RETIRED', retired_at: at, retirement: 'ROTATED' },
        pending: [signingKeyAct(deps.ids, former, { type: 'signing-key.retired', atMs: at.getTime(), by: done_by })],
      });
      await asked(() => deps.signer.endKey(former.key_id));
    }
  };

export const isSigningPurpose = (text: string): text is SigningPurpose =>
  SIGNING_PURPOSES.some((purpose) => purpose === text);
