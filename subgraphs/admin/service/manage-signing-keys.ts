import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { SigningPurpose } from '../../../shared/contracts/signing-keys.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { forWork } from '../../../shared/ids/work.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { type RevocationReason, SIGNING_KEY_MACHINE, type SigningKeyStatus } from '../domain/signing-key-states.js';
import { invalid } from './grants.js';
import { doneBy } from './platform-act.js';
import type { SigningKeyChange, SigningKeyQuery, SigningKeyRecord } from './ports/signing-key-store.js';
import {
  freshSigningKey,
  retireFormer,
  SIGNING_KEYS,
  type SigningKeyDeps,
  signingKeyAct,
} from './signing-key-registry.js';

export interface RevocationInput {
  readonly keyId: string;
  readonly reason: RevocationReason;
  /** From when on its signatures are not to be trusted; now unless told. */
  readonly effectiveAt?: string | undefined;
}

const MAX_ATTEMPTS = 8;

/** Makes a key, which signs nothing until it is activated. Needs `admin`, and a tenant. */
export async function createSigningKey(
  deps: SigningKeyDeps,
  context: RequestContext,
  purpose: SigningPurpose,
): Promise<SigningKeyRecord> {
  const tenantId = authorise(context, 'admin');
  const work = forWork(deps, context, 'create-signing-key');
  const key = freshSigningKey(deps, work, { tenantId, purpose, createdBy: context.principal.keyId });
  const atMs = key.created_at.getTime();
  const pending = [signingKeyAct(work.ids, key, { type: 'signing-key.created', atMs, by: doneBy(context) })];
  if (!(await deps.signingKeys.insert(key, pending))) {
    const standing = await deps.signingKeys.forTenant(tenantId).get(key.key_id);
    if (standing === null) throw new Error('a fresh signing key collided with a stored one');
    return standing;
  }
  await deps.outbox.relay(SIGNING_KEYS, key.key_id, pending);
  return key;
}

/**
 * Makes a key the one that signs for its purpose, and retires the former. Of two keys activated at once one comes first;
 * the later stays. @throws NOT_FOUND, INVALID_TRANSITION
 */
export function activateSigningKey(
  deps: SigningKeyDeps,
  context: RequestContext,
  keyId: string,
): Promise<SigningKeyRecord> {
  return changed(deps, context, { keyId, action: 'activate' }, async (key, atMs) => {
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

/** Ends a key's span of signing; what it signed stays good. @throws NOT_FOUND, INVALID_TRANSITION */
export function retireSigningKey(
  deps: SigningKeyDeps,
  context: RequestContext,
  keyId: string,
): Promise<SigningKeyRecord> {
  return changed(deps, context, { keyId, action: 'retire' }, async (_key, atMs) => ({
    set: { retired_at: new Date(atMs), retirement: 'RETIRED' },
    effects: [],
    more: {},
  }));
}

/** Ends a key whose signatures are not to be trusted from some instant on. @throws NOT_FOUND, VALIDATION_ERROR, CONFLICT */
export async function revokeSigningKey(
  deps: SigningKeyDeps,
  context: RequestContext,
  { keyId, reason, effectiveAt }: RevocationInput,
): Promise<SigningKeyRecord> {
  const revoked = await changed(deps, context, { keyId, action: 'revoke' }, async (key, atMs) => {
    const effectiveMs = effectiveAt === undefined ? atMs : (instantOf(effectiveAt) ?? Number.NaN);
    if (!(effectiveMs <= atMs && effectiveMs >= key.created_at.getTime())) {
      throw invalid('/effective_at', 'range', 'Must lie between the making of the key and now.');
    }
    const effective = new Date(effectiveMs);
    return {
      set: { revoked_at: new Date(atMs), revocation_reason: reason, revocation_effective_at: effective },
      effects: [],
      more: { reason, effective_at: isoTime(effectiveMs) },
    };
  });
  // Repeating a revocation is no change; asking for another instant must not look as if it had been one.
  const asked = effectiveAt === undefined ? undefined : instantOf(effectiveAt);
  if (asked !== undefined && revoked.revocation_effective_at?.getTime() !== asked) {
    throw problem('CONFLICT', { message: 'The key is revoked already, from another instant on.' });
  }
  return revoked;
}

/** Keys of the tenant. */
export async function listSigningKeys(
  deps: Pick<SigningKeyDeps, 'signingKeys'>,
  context: RequestContext,
  query: SigningKeyQuery,
): Promise<Page<SigningKeyRecord>> {
  const rows = await deps.signingKeys.forTenant(authorise(context, 'admin')).list(query);
  return pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row.key_id }));
}

/** Null for a key that is not there and for another tenant's: the two must not differ. */
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

/** One step by the table; who is overtaken looks again. A step that changes nothing leaves no entry. */
async function changed(
  deps: SigningKeyDeps,
  context: RequestContext,
  { keyId, action }: Step,
  details: Details,
): Promise<SigningKeyRecord> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const key = await getSigningKey(deps, context, keyId);
    if (key === null) throw problem('NOT_FOUND');
    const step = transition<SigningKeyStatus, Step['action'] | 'create'>(SIGNING_KEY_MACHINE, key.status, action);
    if (step.emits.length === 0) return key;
    const atMs = deps.clock.nowMs();
    const { set, effects, more } = await details(key, atMs);
    const acts = step.emits.map((type) => signingKeyAct(deps.ids, key, { type, atMs, by: doneBy(context), more }));
    const pending = [...effects, ...acts];
    const change = { from: key.status, set: { ...set, status: step.to }, pending };
    const stored = await deps.signingKeys.forTenant(key.tenant_id).change(keyId, change);
    if (stored === null || stored === 'TAKEN') continue;
    await deps.outbox.relay(SIGNING_KEYS, keyId, pending);
    return stored;
  }
  throw problem('CONFLICT', { message: 'The key is being changed by others; try again.' });
}
