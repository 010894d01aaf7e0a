import { stateMachine } from '../../../../shared/state-machine/state-machine.js';
import type { AccessKind } from './one-time-code.js';

// A session is what a code that was proven opens: the record of one member, for a while. A member's own is renewed by a refresh
// token that is good once; one that was given to somebody else ends with its token.

export const SESSION_STATUSES = ['ACTIVE', 'ENDED', 'REVOKED'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export type SessionAction = 'open' | 'refresh' | 'end' | 'reuse';

const sessionMachine = (name: string, words: string, scope: 'member-auth:write' | 'ava-access:write') =>
  stateMachine<SessionStatus, SessionAction>(name, [
    { from: null, action: 'open', to: 'ACTIVE', scope, emits: [`${words}.opened`] },
    { from: 'ACTIVE', action: 'refresh', to: 'ACTIVE', scope, emits: [`${words}.refreshed`] },
    { from: 'ACTIVE', action: 'end', to: 'ENDED', scope, emits: [`${words}.ended`] },
    // A refresh token that comes a second time is in two hands, and nobody can tell which is the member's.
    { from: 'ACTIVE', action: 'reuse', to: 'REVOKED', scope: 'internal', emits: [`${words}.revoked`] },
  ]);

export const SESSION_MACHINES = {
  MEMBER: sessionMachine('member session', 'member-session', 'member-auth:write'),
  AVA: sessionMachine('ava session', 'ava-session', 'ava-access:write'),
} as const satisfies Record<AccessKind, unknown>;

export const MEMBER_TOKEN_LIFETIME_MS = 15 * 60_000;
/** Renewed or not, a member proves themself anew after it. */
export const SESSION_LIFETIME_MS = 8 * 60 * 60_000;
/** api.md section 6: "a token of at most 15 minutes". */
export const AVA_TOKEN_LIFETIME_SECONDS = 900;

export interface SessionTimes {
  readonly status: SessionStatus;
  readonly access_until: Date;
  readonly ends_at: Date;
}

/** Whether an access token of the session is good at this moment. */
export const isOpenAt = ({ status, access_until, ends_at }: SessionTimes, atMs: number): boolean =>
  status === 'ACTIVE' && atMs < access_until.getTime() && atMs < ends_at.getTime();
