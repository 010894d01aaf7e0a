import { isoTime } from '../../../shared/clock/clock.js';
import type { PublicSigningKey, SigningKeys, SigningPurpose } from '../../../shared/contracts/signing-keys.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { SignedTree, SigningEvidence } from '../../../shared/signing/signer.js';
import { asked } from './asked.js';
import { signingKeyHistory } from './domain.js';
import type { SigningKeyRecord } from './ports.js';
import { freshSigningKey, retireFormer, type SigningKeyDeps, signingKeyAct } from './registry.js';

/** Author of keys that the service creates on first use. */
const SERVICE = 'service:signing';
const BY_SERVICE: JsonObject = { by: SERVICE };

const timeOrNull = (at: Date | null): string | null => (at === null ? null : isoTime(at.getTime()));

/** Returns the end of a key's validity: its retirement, or its revocation, which may take effect earlier. */
function untilOf({ retired_at, revoked_at, revocation_effective_at }: SigningKeyRecord): Date | null {
  const ends = [retired_at, revoked_at, revocation_effective_at].flatMap((at) => at?.getTime() ?? []);
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}

export const publicKeyOf = (key: SigningKeyRecord): PublicSigningKey => ({
  key_id: key.key_id,
  tenant_id: key.tenant_id,
  purpose: key.purpose,
  algorithm: key.algorithm,
  public_key: { kty: 'OKP', crv: 'Ed25519', x: key.x },
  status: key.status,
  from: timeOrNull(key.activated_at),
  until: timeOrNull(untilOf(key)),
  revocation:
    key.revocation_reason === null || key.revocation_effective_at === null
      ? null
      : { reason: key.revocation_reason, effective_at: isoTime(key.revocation_effective_at.getTime()) },
  history: signingKeyHistory(key),
});

/** The registry for other parts of the service; see SigningKeys. */
export class Signing implements SigningKeys {
  readonly #deps: SigningKeyDeps;

  constructor(deps: SigningKeyDeps) {
    this.#deps = deps;
  }

  async activeKey(tenantId: TenantId, purpose: SigningPurpose): Promise<PublicSigningKey> {
    const keys = this.#deps.signingKeys.forTenant(tenantId);
    const last = await keys.lastActivated(purpose);
    if (last?.status === 'ACTIVE') return publicKeyOf(last);
    await this.#createKey(tenantId, purpose, (last?.activation ?? 0) + 1);
    const created = await keys.lastActivated(purpose);
    if (created?.status !== 'ACTIVE') throw problem('UNAVAILABLE', { internal: 'the new signing key is not active' });
    return publicKeyOf(created);
  }

  /** Creates a key. The activation is the commit point: of concurrent processes one inserts, and the others find its key. */
  async #createKey(tenantId: TenantId, purpose: SigningPurpose, activation: number): Promise<void> {
    const fresh = await freshSigningKey(this.#deps, this.#deps, { tenantId, purpose, createdBy: SERVICE });
    const at = fresh.created_at;
    const key: SigningKeyRecord = { ...fresh, status: 'ACTIVE', activation, activated_at: at };
    const author = { atMs: at.getTime(), by: BY_SERVICE };
    const pending = [
      signingKeyAct(this.#deps.ids, key, { ...author, type: 'signing-key.created' }),
      retireFormer(this.#deps.ids, key, { activation, at, by: BY_SERVICE }),
      signingKeyAct(this.#deps.ids, key, { ...author, type: 'signing-key.activated', more: { activation } }),
    ];
    await this.#deps.signingKeys.insert(key, pending);
  }

  /** Reads the state at each call, so that a revoked key stops signing at once. */
  async sign(keyId: string, bytes: Uint8Array, evidence: SigningEvidence): Promise<Buffer> {
    const key = await this.#find(keyId);
    const last = await this.#deps.signingKeys.forTenant(key.tenant_id).lastActivated(key.purpose);
    if (key.status !== 'ACTIVE' || last?.key_id !== keyId) {
      throw problem('INVALID_TRANSITION', { message: 'This key is not the active key; sign with the active one.' });
    }
    return asked(() => this.#deps.signer.sign(keyId, bytes, evidence));
  }

  lastSigned(origin: string): Promise<SignedTree | null> {
    return asked(() => this.#deps.signer.lastSigned(origin));
  }

  async publicKey(keyId: string): Promise<PublicSigningKey> {
    return publicKeyOf(await this.#find(keyId));
  }

  async #find(keyId: string): Promise<SigningKeyRecord> {
    const found = isIdOf('signingKey', keyId) ? await this.#deps.signingKeys.byId(keyId) : null;
    if (found === null) throw problem('NOT_FOUND');
    return found;
  }
}
