import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { problem } from '../../../../shared/errors/problem.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { forWork } from '../../../../shared/ids/work.js';
import { transition } from '../../../../shared/state-machine/state-machine.js';
import {
  type AccessKind,
  CODE_LIFETIME_MS,
  CODE_MACHINES,
  makeCode,
} from '../../domain/member-access/one-time-code.js';
import type { CodeRequest } from '../ports/access-store.js';
import { ACCESS_SCOPES, type AccessDeps, codeHmac } from './access-deps.js';
import { accessEntries, FAMILIES } from './access-entry.js';

export interface CodeInput {
  readonly kind: AccessKind;
  readonly memberId: string;
  readonly purpose: string;
  readonly requestedBy: string | null;
  readonly tokenSeconds: number;
  /** Of the person, as the caller tells it, or of the caller. */
  readonly address: string | null;
}

export interface RequestedCode {
  readonly request: CodeRequest;
  /** Told by setting alone, outside production. */
  readonly code: string | null;
}

const HOUR_MS = 3_600_000;

/**
 * Makes a code for a member and has it sent. For somebody unknown everything happens but the sending, in the same steps: the
 * answer, its time and what can be asked afterwards are alike. @throws RATE_LIMITED
 */
export async function requestCode(
  deps: AccessDeps,
  context: RequestContext,
  { kind, memberId, purpose, requestedBy, tokenSeconds, address }: CodeInput,
): Promise<RequestedCode> {
  const tenantId = authorise(context, ACCESS_SCOPES[kind]);
  await limit(deps, tenantId, memberId, address);
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
  if (isNew) await codes.relay(request_id, pending);
  // The identifier is taken only when this very request has run before: its code is the same one.
  const standing = isNew ? request : await codes.get(request_id);
  if (standing === null) throw new Error('a fresh code collided with one of another tenant');
  const { expires_at } = standing;
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
  return { request: standing, code: deps.config.notifier.codeInResponse ? code : null };
}

/** By what was named, whether there is such a member or not. */
async function limit(
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
  throw problem('RATE_LIMITED', { message: 'Too many codes were asked for; wait a while.', retryAfterSeconds });
}
