import type { Clock } from '../../../../shared/clock/clock.js';
import type { Config } from '../../../../shared/config/config.js';
import { hmacSha256 } from '../../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../../shared/crypto/master-key.js';
import { type Problem, problem } from '../../../../shared/errors/problem.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { WorkDeps } from '../../../../shared/ids/work.js';
import type { AccessKind } from '../../domain/member-access/one-time-code.js';
import type { CodeLimits, CodeStore, MemberContacts, SessionStore } from '../ports/access-store.js';
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

/** What a caller must hold to have a code of this kind sent and proven. */
export const ACCESS_SCOPES = {
  MEMBER: 'member-auth:write',
  AVA: 'ava-access:write',
} as const satisfies Record<AccessKind, string>;

/** Codes and tokens as they are stored, and the one way to come by it. */
export const codeHmac = (masterKey: MasterKey, tenantId: TenantId, requestId: string, code: string): Buffer =>
  hmacSha256(masterKey.derive('one-time-code', tenantId), `${requestId}:${code}`);

export const tokenHmac = (masterKey: MasterKey, token: string): Buffer =>
  hmacSha256(masterKey.derive('member-token'), token);

/** One answer to every code that proves nothing: wrong, used, expired, locked, of nobody, or of another tenant. */
export const refusedCode = (): Problem =>
  problem('UNAUTHENTICATED', { message: 'The code is wrong, or it can no longer be used; have another one sent.' });

/** One answer to every refresh token that renews nothing. */
export const refusedToken = (): Problem =>
  problem('UNAUTHENTICATED', { message: 'The token is not good any more; prove yourself anew.' });
