import type { Randomness } from '../../../shared/ids/ids.js';
import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// One-time codes (api.md section 6: 6 digits, 10 minutes, 5 tries, stored hashed) prove that the user receives a member's
// messages. A try is counted before the code is compared, so that concurrent requests gain no further try.

const CODE_DIGITS = 6;
export const CODE_LIFETIME_MS = 10 * 60_000;
export const MAX_TRIES = 5;

export const CODE_STATUSES = ['PENDING', 'VERIFIED', 'LOCKED', 'EXPIRED', 'REVOKED'] as const;
export type CodeStatus = (typeof CODE_STATUSES)[number];

export type CodeAction = 'request' | 'verify' | 'lock' | 'expire' | 'revoke';

const member = { scope: 'member-auth:write' } as const;
const service = { scope: 'internal' } as const;

/** The two kinds of codes differ only in scope and event types. */
const codeMachine = (name: string, words: string, write: typeof member | { scope: 'ava-access:write' }) =>
  stateMachine<CodeStatus, CodeAction>(name, [
    { from: null, action: 'request', to: 'PENDING', ...write, emits: [`${words}.requested`] },
    { from: 'PENDING', action: 'verify', to: 'VERIFIED', ...write, emits: [`${words}.verified`] },
    { from: 'PENDING', action: 'lock', to: 'LOCKED', ...service, emits: [`${words}.locked`] },
    { from: 'PENDING', action: 'expire', to: 'EXPIRED', ...service, emits: [] },
    { from: 'PENDING', action: 'revoke', to: 'REVOKED', ...write, emits: [`${words}.revoked`] },
  ]);

export const CODE_MACHINES = {
  MEMBER: codeMachine('member authentication', 'member-auth', member),
  AVA: codeMachine('ava access', 'ava-access', { scope: 'ava-access:write' }),
} as const;

export type AccessKind = keyof typeof CODE_MACHINES;

/** Bytes of randomness; the bias of a remainder of 48 bits is below 1 in 10^8. */
const CODE_BYTES = 6;

/** Creates a uniformly distributed code with leading zeros. */
export function makeCode(randomness: Randomness): string {
  const bytes = Buffer.from(randomness.fill(new Uint8Array(CODE_BYTES)));
  return String(bytes.readUIntBE(0, CODE_BYTES) % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0');
}

// A proven code opens a session: access to the record of one member for a limited time. A refresh token, valid once, renews a
// member's own session. A session for another person ends with its access token.

const SESSION_STATUSES = ['ACTIVE', 'ENDED', 'REVOKED'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export type SessionAction = 'open' | 'refresh' | 'end' | 'reuse';

const sessionMachine = (name: string, words: string, scope: 'member-auth:write' | 'ava-access:write') =>
  stateMachine<SessionStatus, SessionAction>(name, [
    { from: null, action: 'open', to: 'ACTIVE', scope, emits: [`${words}.opened`] },
    { from: 'ACTIVE', action: 'refresh', to: 'ACTIVE', scope, emits: [`${words}.refreshed`] },
    { from: 'ACTIVE', action: 'end', to: 'ENDED', scope, emits: [`${words}.ended`] },
    // A refresh token used twice may be stolen.
    { from: 'ACTIVE', action: 'reuse', to: 'REVOKED', scope: 'internal', emits: [`${words}.revoked`] },
  ]);

export const SESSION_MACHINES = {
  MEMBER: sessionMachine('member session', 'member-session', 'member-auth:write'),
  AVA: sessionMachine('ava session', 'ava-session', 'ava-access:write'),
} as const satisfies Record<AccessKind, unknown>;

export const MEMBER_TOKEN_LIFETIME_MS = 15 * 60_000;
/** A member signs in again after this time, even with renewals. */
export const SESSION_LIFETIME_MS = 8 * 60 * 60_000;
/** api.md section 6: "a token of at most 15 minutes". */
export const AVA_TOKEN_LIFETIME_SECONDS = 900;

interface SessionTimes {
  readonly status: SessionStatus;
  readonly access_until: Date;
  readonly ends_at: Date;
}

/** True if access tokens of the session are valid at this time. */
export const isOpenAt = ({ status, access_until, ends_at }: SessionTimes, atMs: number): boolean =>
  status === 'ACTIVE' && atMs < access_until.getTime() && atMs < ends_at.getTime();
