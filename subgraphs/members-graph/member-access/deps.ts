import type { RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Config } from '../../../shared/config/config.js';
import { hmacSha256 } from '../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { type Problem, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { ledgerEntryEffect, type PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { TransitionRow } from '../../../shared/state-machine/state-machine.js';
import type { AccessKind } from './domain.js';
import type { CodeLimits, CodeStore, MemberContacts, SessionStore } from './ports.js';
import type { SendCode } from './send-code.js';

export interface AccessDeps extends WorkDeps {
  readonly codes: CodeStore;
  readonly sessions: SessionStore;
  readonly limits: CodeLimits;
  readonly contacts: MemberContacts;
  readonly send: SendCode;
  readonly clock: Clock;
  readonly config: Pick<Config, 'notifier'>;
}

/** Scopes to request and verify codes of each kind. */
export const ACCESS_SCOPES = {
  MEMBER: 'member-auth:write',
  AVA: 'ava-access:write',
} as const satisfies Record<AccessKind, string>;

/** Hashes a code for storage, under the tenant's key. */
export const codeHmac = (masterKey: MasterKey, tenantId: TenantId, requestId: string, code: string): Buffer =>
  hmacSha256(masterKey.derive('one-time-code', tenantId), `${requestId}:${code}`);

/** Hashes a token for storage. */
export const tokenHmac = (masterKey: MasterKey, token: string): Buffer =>
  hmacSha256(masterKey.derive('member-token'), token);

/** One answer for every invalid code: wrong, used, expired, locked, unknown, or of another tenant. */
export const invalidCode = (): Problem =>
  problem('UNAUTHENTICATED', { message: 'The code is wrong or no longer valid; request a new code.' });

/** One answer for every invalid refresh token. */
export const invalidToken = (): Problem =>
  problem('UNAUTHENTICATED', { message: 'The refresh token is no longer valid; sign in again.' });

interface StepEntry {
  readonly tenantId: TenantId;
  readonly family: 'member-auth' | 'ava-access';
  readonly step: TransitionRow;
  readonly at: Date;
  /** Ids and counts; never a code, a token or the member. */
  readonly payload: JsonObject;
}

/** Returns the `_records` entries of a step. */
export function accessEntries(
  deps: WorkDeps,
  context: RequestContext,
  { tenantId, family, step, at, payload }: StepEntry,
): readonly PendingEffect[] {
  const { keyId, actorId } = context.principal;
  const { ids } = forWork(deps, context, `${family}-${step.action}-entries`);
  return step.emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id: tenantId,
      source_system: '_records',
      entry: {
        event_family: family,
        event_type: eventType,
        event_effective_timestamp: isoTime(at.getTime()),
        outcome: step.to,
        payload: {
          ...payload,
          from: step.from,
          to: step.to,
          by: keyId,
          ...(actorId === null ? {} : { actor_id: actorId }),
        },
      },
    }),
  );
}

export const FAMILIES = { MEMBER: 'member-auth', AVA: 'ava-access' } as const;
