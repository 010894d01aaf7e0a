import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { equalInConstantTime } from '../../../../shared/crypto/hash.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { transition } from '../../../../shared/state-machine/state-machine.js';
import {
  type AccessKind,
  CODE_MACHINES,
  type CodeAction,
  MAX_TRIES,
} from '../../domain/member-access/one-time-code.js';
import type { CodeRequest, TenantCodes } from '../ports/access-store.js';
import { ACCESS_SCOPES, type AccessDeps, codeHmac, refusedCode } from './access-deps.js';
import { accessEntries, FAMILIES } from './access-entry.js';

type VerifyDeps = Pick<AccessDeps, 'codes' | 'clock' | 'ids' | 'randomness' | 'masterKey'>;

export interface Presented {
  readonly kind: AccessKind;
  readonly requestId: string;
  readonly code: string;
}

/**
 * Judges a code, at most five times, and takes a good one once. What is presented is compared in constant time, and every refusal
 * is the same answer. The request that proved a code proves it again when it is run again after its answer was lost.
 *
 * @throws UNAUTHENTICATED
 */
export async function verifyCode(
  deps: VerifyDeps,
  context: RequestContext,
  { kind, requestId, code }: Presented,
): Promise<CodeRequest> {
  const tenantId = authorise(context, ACCESS_SCOPES[kind]);
  const codes = deps.codes(tenantId);
  const presented = codeHmac(deps.masterKey, tenantId, requestId, code);
  const tried = await codes.takeTry(kind, requestId, MAX_TRIES, deps.clock.nowMs());
  if (tried === null) return provenBefore(deps, context, codes, kind, requestId, presented);
  const isRight = equalInConstantTime(Buffer.from(tried.code_hmac, 'hex'), presented);
  if (!isRight || !tried.known) {
    if (tried.tries >= MAX_TRIES) await stepOf(deps, context, codes, tried, 'lock');
    throw refusedCode();
  }
  const verified = await stepOf(deps, context, codes, tried, 'verify');
  // Of several that brought the right code at once, one has it.
  if (verified === null) throw refusedCode();
  return verified;
}

async function provenBefore(
  deps: VerifyDeps,
  context: RequestContext,
  codes: TenantCodes,
  kind: AccessKind,
  requestId: string,
  presented: Buffer,
): Promise<CodeRequest> {
  const standing = await codes.get(requestId);
  if (standing === null || standing.kind !== kind) throw refusedCode();
  if (standing.status === 'PENDING' && standing.expires_at.getTime() <= deps.clock.nowMs()) {
    await stepOf(deps, context, codes, standing, 'expire');
  }
  const isOurs = context.workId !== null && standing.verified_by === context.workId;
  if (standing.status !== 'VERIFIED' || !isOurs) throw refusedCode();
  if (!equalInConstantTime(Buffer.from(standing.code_hmac, 'hex'), presented)) throw refusedCode();
  return standing;
}

/** A step of a PENDING code, with its entry in the ledger; null where somebody was quicker. */
export async function stepOf(
  deps: VerifyDeps,
  context: RequestContext,
  codes: TenantCodes,
  standing: CodeRequest,
  action: CodeAction,
): Promise<CodeRequest | null> {
  const { kind, tenant_id: tenantId, request_id } = standing;
  const step = transition(CODE_MACHINES[kind], 'PENDING', action);
  const updated_at = new Date(deps.clock.nowMs());
  const payload: JsonObject = { request_id, tries: standing.tries };
  const pending = accessEntries(deps, context, { tenantId, family: FAMILIES[kind], step, at: updated_at, payload });
  const verified_by = action === 'verify' ? context.workId : null;
  const stepped = await codes.step(request_id, { status: step.to, verified_by, updated_at, pending });
  if (stepped !== null) await codes.relay(request_id, pending);
  return stepped;
}
