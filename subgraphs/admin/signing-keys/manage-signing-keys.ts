import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { SigningPurpose } from '../../../shared/contracts/signing-keys.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { forWork } from '../../../shared/ids/work.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { changeRow } from '../../../shared/records/conflicts.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { invalid } from '../access/index.js';
import { doneBy } from '../acts/index.js';
import { asked } from './asked.js';
import { type RevocationReason, SIGNING_KEY_MACHINE, type SigningKeyStatus } from './domain.js';
import type { SigningKeyChange, SigningKeyRecord } from './ports.js';
import { freshSigningKey, retireFormer, type SigningKeyDeps, signingKeyAct } from './registry.js';

interface Revocation {
  readonly keyId: string;
  readonly reason: RevocationReason;
  /** Start of the distrust of its signatures; now by default. */
  readonly effectiveAt?: string | undefined;
}

/** Creates a key; it signs once it is activated. Needs the scope `admin` and a tenant. */
export async function createSigningKey(
  deps: SigningKeyDeps,
  context: RequestContext,
  purpose: SigningPurpose,
): Promise<SigningKeyRecord> {
  const tenantId = authorise(context, 'admin');
  const work = forWork(deps, context, 'create-signing-key');
  const key = await freshSigningKey(deps, work, { tenantId, purpose, createdBy: context.principal.keyId });
  const atMs = key.created_at.getTime();
  const pending = [signingKeyAct(work.ids, key, { type: 'signing-key.created', atMs, by: doneBy(context) })];
  if (await deps.signingKeys.insert(key, pending)) return key;
  const current = await deps.signingKeys.forTenant(tenantId).get(key.key_id);
  if (current === null) throw new Error('the identifier of a new signing key is taken');
  return current;
}

/**
 * Activates a key for its purpose and retires the former one. Of two concurrent activations the later one stays active.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION
 */
export function activateSigningKey(
  deps: SigningKeyDeps,
  context: RequestContext,
  keyId: string,
): Promise<SigningKeyRecord> {
  return takeStep(deps, context, { keyId, action: 'activate' }, async (key, atMs) => {
    const last = await deps.signingKeys.forTenant(key.tenant_id).lastActivated(key.purpose);
    const activation = (last?.activation ?? 0) + 1;
    const at = new Date(atMs);
    return {
      set: { activation, activated_at: at },
      effects: [retireFormer(deps.ids, key, { activation, at, by: doneBy(context) })],
      more: { activation },
    };
  });
}

/**
 * Retires a key; its signatures stay valid. A repeated request tells the signer again.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION, UNAVAILABLE
 */
export async function retireSigningKey(
  deps: SigningKeyDeps,
  context: RequestContext,
  keyId: string,
): Promise<SigningKeyRecord> {
  const retired = await takeStep(deps, context, { keyId, action: 'retire' }, async (_key, atMs) => ({
    set: { retired_at: new Date(atMs), retirement: 'RETIRED' },
    effects: [],
    more: {},
  }));
  await asked(() => deps.signer.endKey(keyId));
  return retired;
}

/** Revokes a key: its signatures are invalid from a given time on. @throws NOT_FOUND, VALIDATION_ERROR, CONFLICT */
export async function revokeSigningKey(
  deps: SigningKeyDeps,
  context: RequestContext,
  { keyId, reason, effectiveAt }: Revocation,
): Promise<SigningKeyRecord> {
  const revoked = await takeStep(deps, context, { keyId, action: 'revoke' }, async (key, atMs) => {
    const effectiveMs = effectiveAt === undefined ? atMs : (instantOf(effectiveAt) ?? Number.NaN);
    if (!(effectiveMs <= atMs && effectiveMs >= key.created_at.getTime())) {
      throw invalid('/effective_at', 'range', 'Must be between the creation of the key and now.');
    }
    const effective = new Date(effectiveMs);
    return {
      set: { revoked_at: new Date(atMs), revocation_reason: reason, revocation_effective_at: effective },
      effects: [],
      more: { reason, effective_at: isoTime(effectiveMs) },
    };
  });
  await asked(() => deps.signer.endKey(keyId));
  // A repeated revocation changes nothing; another time must fail instead of looking successful.
  const wanted = effectiveAt === undefined ? undefined : instantOf(effectiveAt);
  if (wanted !== undefined && revoked.revocation_effective_at?.getTime() !== wanted) {
    throw problem('CONFLICT', { message: 'The key is revoked already with another effective_at.' });
  }
  return revoked;
}

/** Lists the keys of the tenant. */
export async function listSigningKeys(
  deps: Pick<SigningKeyDeps, 'signingKeys'>,
  context: RequestContext,
  query: ListQuery<SigningKeyRecord>,
): Promise<Page<SigningKeyRecord>> {
  return deps.signingKeys.forTenant(authorise(context, 'admin')).page(query);
}

/** @returns null alike for a missing key and another tenant's. */
export async function getSigningKey(
  deps: Pick<SigningKeyDeps, 'signingKeys'>,
  context: RequestContext,
  keyId: string,
): Promise<SigningKeyRecord | null> {
  const tenantId = authorise(context, 'admin');
  return isIdOf('signingKey', keyId) ? deps.signingKeys.forTenant(tenantId).get(keyId) : null;
}

interface Step {
  readonly keyId: string;
  readonly action: 'activate' | 'retire' | 'revoke';
}

type Details = (
  key: SigningKeyRecord,
  atMs: number,
) => Promise<{
  readonly set: Omit<SigningKeyChange['set'], 'status'>;
  readonly effects: SigningKeyChange['pending'];
  readonly more: Readonly<Record<string, string | number>>;
}>;

/** Takes one step of the state table. A step that changes nothing leaves no entry. */
const takeStep = (
  deps: SigningKeyDeps,
  context: RequestContext,
  { keyId, action }: Step,
  details: Details,
): Promise<SigningKeyRecord> =>
  changeRow(
    'signing key',
    () => getSigningKey(deps, context, keyId),
    async (key) => {
      const step = transition<SigningKeyStatus, Step['action'] | 'create'>(SIGNING_KEY_MACHINE, key.status, action);
      if (step.emits.length === 0) return key;
      const atMs = deps.clock.nowMs();
      const { set, effects, more } = await details(key, atMs);
      const acts = step.emits.map((type) => signingKeyAct(deps.ids, key, { type, atMs, by: doneBy(context), more }));
      const change = { from: key.status, set: { ...set, status: step.to }, pending: [...effects, ...acts] };
      const stored = await deps.signingKeys.forTenant(key.tenant_id).change(keyId, change);
      // Another activation took the number: read the last one again.
      return stored === 'taken' ? null : stored;
    },
  );
