import { isUlid } from '../../../../shared/ids/ids.js';

// `ebl_<ULID of the link>_<43 characters>`: the prefix distinguishes the token from keys and sessions, and secret scanners
// can search for it. The secret has 256 random bits, so the stored SHA-256 cannot be searched.

export const SECRET_BYTES = 32;
const TOKEN = /^ebl_([0-9A-Z]{26})_[0-9A-Za-z_-]{43}$/;

/** Returns the id of the link; null for text of another form. Does not verify the token. */
export function linkIdIn(token: string): string | null {
  const [, ulid = ''] = TOKEN.exec(token) ?? [];
  return isUlid(ulid) ? `bln_${ulid}` : null;
}

/** The token of a link. @param secret SECRET_BYTES random bytes. */
export const linkToken = (linkId: string, secret: Uint8Array): string =>
  `ebl_${linkId.slice('bln_'.length)}_${Buffer.from(secret).toString('base64url')}`;
