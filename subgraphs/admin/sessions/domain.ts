import { isUlid } from '../../../shared/ids/ids.js';

// A session replaces the API key that opened it: the browser holds a token in a cookie, the service stores its hash.
// `esn_<ULID of the session>_<43 characters>`: the prefix distinguishes it from keys and member tokens without a look-up.

const SECRET_BYTES = 32;
const TOKEN = /^esn_([0-9A-Z]{26})_[0-9A-Za-z_-]{43}$/;

/** A session ends this long after its last request. */
export const IDLE_MS = 60 * 60_000;
/** A session ends this long after its opening. */
export const LIFETIME_MS = 12 * 60 * 60_000;
/** Precision of the last use: each session is written at most once in this time. */
export const TOUCH_INTERVAL_MS = 60_000;

export const SESSION_STATUSES = ['ACTIVE', 'ENDED', 'EXPIRED'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** Returns the id of the session; null for text of another form. Does not verify the token. */
export function sessionIdIn(token: string): string | null {
  const [, ulid = ''] = TOKEN.exec(token) ?? [];
  return isUlid(ulid) ? `ses_${ulid}` : null;
}

/** Generates the token of a session. @param fill random bytes. */
export function mintSessionToken(sessionId: string, fill: (target: Uint8Array) => Uint8Array): string {
  const secret = Buffer.from(fill(new Uint8Array(SECRET_BYTES))).toString('base64url');
  return `esn_${sessionId.slice('ses_'.length)}_${secret}`;
}

interface SessionTimes {
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly ended_at: Date | null;
}

/** Returns the instant at which the session ends unless it is used again. */
export const sessionEndsAtMs = ({ created_at, last_seen_at }: Omit<SessionTimes, 'ended_at'>): number =>
  Math.min(created_at.getTime() + LIFETIME_MS, last_seen_at.getTime() + IDLE_MS);

/** @param keyIsLive whether the key that opened it still authenticates. */
export function sessionStatusAt(session: SessionTimes, nowMs: number, keyIsLive: boolean): SessionStatus {
  if (session.ended_at !== null) return 'ENDED';
  if (nowMs >= sessionEndsAtMs(session)) return 'EXPIRED';
  return keyIsLive ? 'ACTIVE' : 'ENDED';
}
