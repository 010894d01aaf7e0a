import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { equalInConstantTime } from '../../../shared/crypto/hash.js';
import { problem } from '../../../shared/errors/problem.js';
import { storedExtra } from '../../../shared/graph/extra.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork } from '../../../shared/ids/work.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { ACCESS_SCOPES, type AccessDeps, accessEntries, codeHmac, FAMILIES, invalidCode } from './deps.js';
import { type AccessKind, CODE_LIFETIME_MS, CODE_MACHINES, type CodeAction, MAX_TRIES, makeCode } from './domain.js';
import type { CodeRequest, TenantCodes } from './ports.js';
import { endSessionOf } from './sessions.js';

interface CodeInput {
  readonly kind: AccessKind;
  readonly memberId: string;
  readonly purpose: string;
  readonly requestedBy: string | null;
  readonly tokenSeconds: number;
  /** Client address of the person or the caller; limits the number of codes. */
  readonly address: string | null;
  readonly extra?: JsonObject | undefined;
}

export interface RequestedCode {
  readonly request: CodeRequest;
  /** Returned outside production if the deployment sets it. */
  readonly code: string | null;
}

const HOUR_MS = 3_600_000;

/**
 * Creates a code for a member and sends it. For an unknown member it does everything except sending, so that the answer and
 * its timing do not show which members exist.
 *
 * @throws RATE_LIMITED
 */
export async function requestCode(
  deps: AccessDeps,
  context: RequestContext,
  { kind, memberId, purpose, requestedBy, tokenSeconds, address, extra }: CodeInput,
): Promise<RequestedCode> {
  const tenantId = authorise(context, ACCESS_SCOPES[kind]);
  const kept = storedExtra(extra);
  await requireBelowLimit(deps, tenantId, memberId, address);
  const contact = await deps.contacts(tenantId, memberId);
  const { ids, randomness } = forWork(deps, context, `${FAMILIES[kind]}-code`);
  const request_id = ids.next(kind === 'AVA' ? 'avaRequest' : 'challenge');
  const code = makeCode(randomness);
  const at = new Date(deps.clock.nowMs());
  const step = transition(CODE_MACHINES[kind], null, 'request');
  const request: CodeRequest = {
    request_id,
    tenant_id: tenantId,
    kind,
    member_id: memberId,
    known: contact !== null,
    purpose,
    requested_by: requestedBy,
    token_seconds: tokenSeconds,
    ...kept,
    code_hmac: codeHmac(deps.masterKey, tenantId, request_id, code).toString('hex'),
    tries: 0,
    status: step.to,
    verified_by: null,
    revision: 1,
    created_at: at,
    created_by: context.principal.keyId,
    updated_at: at,
    expires_at: new Date(at.getTime() + CODE_LIFETIME_MS),
  };
  const codes = deps.codes(tenantId);
  const payload = { request_id, purpose };
  const pending = accessEntries(deps, context, { tenantId, family: FAMILIES[kind], step, at, payload });
  const isNew = await codes.insert(request, pending);
  // The identifier is taken only by an earlier run of this request, which created the same code.
  const current = isNew ? request : await codes.get(request_id);
  if (current === null) throw new Error('the identifier of a new code is taken by another tenant');
  const { expires_at } = current;
  if (contact !== null) {
    deps.send({
      request_id,
      tenant_id: tenantId,
      kind,
      to: contact,
      code,
      purpose,
      requested_by: requestedBy,
      expires_at,
    });
  }
  return { request: current, code: deps.config.notifier.codeInResponse ? code : null };
}

/** Limits codes by named member and client address, for unknown members too. */
async function requireBelowLimit(
  { limits, config: { notifier } }: AccessDeps,
  tenantId: TenantId,
  memberId: string,
  address: string | null,
): Promise<void> {
  const waits = [await limits.take(JSON.stringify([tenantId, 'member', memberId]), notifier.perMemberPerHour, HOUR_MS)];
  if (address !== null) {
    waits.push(await limits.take(JSON.stringify([tenantId, 'address', address]), notifier.perAddressPerHour, HOUR_MS));
  }
  const retryAfterSeconds = Math.max(...waits.map((seconds) => seconds ?? 0));
  if (retryAfterSeconds === 0) return;
  throw problem('RATE_LIMITED', { message: 'Too many codes were requested; retry later.', retryAfterSeconds });
}

type VerifyDeps = Pick<AccessDeps, 'codes' | 'clock' | 'ids' | 'randomness' | 'masterKey'>;

interface PresentedCode {
  readonly kind: AccessKind;
  readonly requestId: string;
  readonly code: string;
}

/**
 * Verifies a code; allows five attempts and one success. Compares in constant time and gives one answer for every failure. A
 * repeated request (same Idempotency-Key) that verified the code succeeds again.
 *
 * @throws UNAUTHENTICATED
 */
export async function verifyCode(
  deps: VerifyDeps,
  context: RequestContext,
  { kind, requestId, code }: PresentedCode,
): Promise<CodeRequest> {
  const tenantId = authorise(context, ACCESS_SCOPES[kind]);
  const codes = deps.codes(tenantId);
  const presented = codeHmac(deps.masterKey, tenantId, requestId, code);
  const tried = await codes.takeAttempt(kind, requestId, MAX_TRIES, deps.clock.nowMs());
  if (tried === null) return provenByRetry(deps, context, codes, kind, requestId, presented);
  const isRight = equalInConstantTime(Buffer.from(tried.code_hmac, 'hex'), presented);
  if (!isRight || !tried.known) {
    if (tried.tries >= MAX_TRIES) await stepOf(deps, context, codes, tried, 'lock');
    throw invalidCode();
  }
  const verified = await stepOf(deps, context, codes, tried, 'verify');
  // Only one of several concurrent requests with the right code succeeds.
  if (verified === null) throw invalidCode();
  return verified;
}

async function provenByRetry(
  deps: VerifyDeps,
  context: RequestContext,
  codes: TenantCodes,
  kind: AccessKind,
  requestId: string,
  presented: Buffer,
): Promise<CodeRequest> {
  const current = await codes.get(requestId);
  if (current === null || current.kind !== kind) throw invalidCode();
  if (current.status === 'PENDING' && current.expires_at.getTime() <= deps.clock.nowMs()) {
    await stepOf(deps, context, codes, current, 'expire');
  }
  const isOurs = context.workId !== null && current.verified_by === context.workId;
  if (current.status !== 'VERIFIED' || !isOurs) throw invalidCode();
  if (!equalInConstantTime(Buffer.from(current.code_hmac, 'hex'), presented)) throw invalidCode();
  return current;
}

/** Takes a step of a PENDING code with its ledger entry. @returns null if a concurrent request was first */
async function stepOf(
  deps: VerifyDeps,
  context: RequestContext,
  codes: TenantCodes,
  current: CodeRequest,
  action: CodeAction,
): Promise<CodeRequest | null> {
  const { kind, tenant_id: tenantId, request_id } = current;
  const step = transition(CODE_MACHINES[kind], 'PENDING', action);
  const updated_at = new Date(deps.clock.nowMs());
  const payload: JsonObject = { request_id, tries: current.tries };
  const pending = accessEntries(deps, context, { tenantId, family: FAMILIES[kind], step, at: updated_at, payload });
  const verified_by = action === 'verify' ? context.workId : null;
  return codes.step(request_id, { status: step.to, verified_by, updated_at, pending });
}

/**
 * Revokes access to a member's record: an unverified code and an issued token become invalid. Idempotent.
 *
 * @returns null for an unknown request and for another tenant's
 */
export async function revokeAccess(
  deps: Pick<AccessDeps, 'codes' | 'sessions' | 'clock' | 'ids' | 'randomness' | 'masterKey'>,
  context: RequestContext,
  requestId: string,
): Promise<CodeRequest | null> {
  const codes = deps.codes(authorise(context, ACCESS_SCOPES.AVA));
  const current = isIdOf('avaRequest', requestId) ? await codes.get(requestId) : null;
  if (current === null) return null;
  if (current.status === 'PENDING') await stepOf(deps, context, codes, current, 'revoke');
  await endSessionOf(deps, context, requestId);
  return codes.get(requestId);
}
