import { isoTime } from '../../../shared/clock/clock.js';
import type { PublicSigningKey, SigningKeys, SigningPurpose } from '../../../shared/contracts/signing-keys.js';
import { ed25519Sign } from '../../../shared/crypto/ed25519.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { signingKeyHistory } from '../domain/signing-key-history.js';
import type { SigningKeyRecord } from './ports/signing-key-store.js';
import {
  freshSigningKey,
  retireFormer,
  SIGNING_KEYS,
  type SigningKeyDeps,
  seedContext,
  signingKeyAct,
} from './signing-key-registry.js';

/** Who makes a key on first need: the service itself. */
const SEEDER = 'service:signing';
const BY_SEEDER: JsonObject = { by: SEEDER };

const timeOf = (at: Date | null): string | null => (at === null ? null : isoTime(at.getTime()));

/** When a key ceased to sign: retired, or revoked from an instant that may lie before that. */
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
  from: timeOf(key.activated_at),
  until: timeOf(untilOf(key)),
  revocation:
    key.revocation_reason === null || key.revocation_effective_at === null
      ? null
      : { reason: key.revocation_reason, effective_at: isoTime(key.revocation_effective_at.getTime()) },
  history: signingKeyHistory(key),
});

/** The registry as other parts of the service use it; see SigningKeys. */
export class Signing implements SigningKeys {
  readonly #deps: SigningKeyDeps;

  constructor(deps: SigningKeyDeps) {
    this.#deps = deps;
  }

  async activeKey(tenantId: TenantId, purpose: SigningPurpose): Promise<PublicSigningKey> {
    const keys = this.#deps.signingKeys.forTenant(tenantId);
    const last = await keys.lastActivated(purpose);
    if (last?.status === 'ACTIVE') return publicKeyOf(last);
    await this.#seed(tenantId, purpose, (last?.activation ?? 0) + 1);
    const seeded = await keys.lastActivated(purpose);
    if (seeded?.status !== 'ACTIVE') throw problem('UNAVAILABLE', { internal: 'the signing key seeded is not active' });
    return publicKeyOf(seeded);
  }

  /** The activation is the commit point: of processes that seed at once, one inserts and the others find its key. */
  async #seed(tenantId: TenantId, purpose: SigningPurpose, activation: number): Promise<void> {
    const fresh = freshSigningKey(this.#deps, this.#deps, { tenantId, purpose, createdBy: SEEDER });
    const at = fresh.created_at;
    const key: SigningKeyRecord = { ...fresh, status: 'ACTIVE', activation, activated_at: at };
    const about = { atMs: at.getTime(), by: BY_SEEDER };
    const pending = [
      signingKeyAct(this.#deps.ids, key, { ...about, type: 'signing-key.created' }),
      retireFormer(this.#deps.ids, key, { activation, at, by: BY_SEEDER }),
      signingKeyAct(this.#deps.ids, key, { ...about, type: 'signing-key.activated', more: { activation } }),
    ];
    if (await this.#deps.signingKeys.insert(key, pending)) {
      await this.#deps.outbox.relay(SIGNING_KEYS, key.key_id, pending);
    }
  }

  /** The state is read each time: a key that was revoked a moment ago signs nothing more. */
  async sign(keyId: string, bytes: Uint8Array): Promise<Buffer> {
    const key = await this.#find(keyId);
    const last = await this.#deps.signingKeys.forTenant(key.tenant_id).lastActivated(key.purpose);
    if (key.status !== 'ACTIVE' || last?.key_id !== keyId) {
      throw problem('INVALID_TRANSITION', { message: 'This key is not the one that signs.' });
    }
    const seed = this.#deps.masterKey.unwrap(Buffer.from(key.wrapped_seed, 'base64'), seedContext(key));
    try {
      return ed25519Sign(seed, bytes);
    } finally {
      seed.fill(0);
    }
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
