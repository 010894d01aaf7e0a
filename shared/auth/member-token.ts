import { isUlid } from '../ids/ids.js';

// Tokens of member access: `<prefix>_<ULID of the session>_<43 characters>`. The prefix lets them be told from API keys without
// asking anybody, and be found by scanners for secrets; the ULID finds the session without the secret being a search term.

/** By prefix: what it is for. A member's token is renewed by its refresh token; one given to somebody else is not renewed. */
const PREFIXES = {
  emt: { kind: 'MEMBER', use: 'access' },
  emr: { kind: 'MEMBER', use: 'refresh' },
  eva: { kind: 'AVA', use: 'access' },
} as const;

type Prefix = keyof typeof PREFIXES;
export type MemberTokenForm = (typeof PREFIXES)[Prefix];

export interface ReadMemberToken {
  readonly kind: MemberTokenForm['kind'];
  readonly use: MemberTokenForm['use'];
  /** Of the session. */
  readonly ulid: string;
}

/** 256 bits, base64url. */
const SECRET_BYTES = 32;
const TOKEN = /^(emt|emr|eva)_([0-9A-Z]{26})_[0-9A-Za-z_-]{43}$/;

/** What a text says it is; null for anything that has not the form. Nothing is judged by it. */
export function readMemberToken(text: string): ReadMemberToken | null {
  const [, prefix, ulid = ''] = TOKEN.exec(text) ?? [];
  if (prefix === undefined || !isUlid(ulid)) return null;
  return { ...PREFIXES[prefix as Prefix], ulid };
}

/** A token of a session. @param fill random bytes. */
export function mintMemberToken(prefix: Prefix, ulid: string, fill: (target: Uint8Array) => Uint8Array): string {
  const secret = Buffer.from(fill(new Uint8Array(SECRET_BYTES))).toString('base64url');
  return `${prefix}_${ulid}_${secret}`;
}
