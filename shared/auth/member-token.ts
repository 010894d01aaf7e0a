import { isUlid } from '../ids/ids.js';
import { keysOf } from '../json/keys.js';

// Tokens of member access: `<prefix>_<ULID of the session>_<43 characters>`. The prefix distinguishes them from API keys
// without a look-up, and lets secret scanners find them. The ULID finds the session without a search for the secret.

/** Purpose by prefix. A refresh token renews a member's token; a delegate's token is not renewed. */
const PREFIXES = {
  emt: { kind: 'MEMBER', use: 'access' },
  emr: { kind: 'MEMBER', use: 'refresh' },
  eva: { kind: 'AVA', use: 'access' },
} as const;

type Prefix = keyof typeof PREFIXES;
type MemberTokenForm = (typeof PREFIXES)[Prefix];

interface ReadMemberToken {
  readonly kind: MemberTokenForm['kind'];
  readonly use: MemberTokenForm['use'];
  /** Of the session. */
  readonly ulid: string;
}

/** 256 bits, base64url. */
const SECRET_BYTES = 32;
const TOKEN = /^(emt|emr|eva)_([0-9A-Z]{26})_[0-9A-Za-z_-]{43}$/;

/** The parts of a token; null if the text has another form. Does not verify the token. */
export function readMemberToken(text: string): ReadMemberToken | null {
  const [, found, ulid = ''] = TOKEN.exec(text) ?? [];
  const prefix = keysOf(PREFIXES).find((one) => one === found);
  return prefix === undefined || !isUlid(ulid) ? null : { ...PREFIXES[prefix], ulid };
}

/** A token of a session. @param fill random bytes. */
export function mintMemberToken(prefix: Prefix, ulid: string, fill: (target: Uint8Array) => Uint8Array): string {
  const secret = Buffer.from(fill(new Uint8Array(SECRET_BYTES))).toString('base64url');
  return `${prefix}_${ulid}_${secret}`;
}
