import { ID_PREFIXES, type IdKind, isUlid } from './ids.js';

// Tokens of links for parties without a key: `<prefix>_<ULID of the record>_<43 characters>`. The prefix distinguishes the token
// from keys and sessions, and secret scanners can search for it. The secret has 256 random bits, so the stored SHA-256
// cannot be searched.

export const LINK_SECRET_BYTES = 32;

/** The form of the tokens of one kind of record. */
interface LinkTokens {
  /** Returns the identifier of the record; null for text of another form. Does not verify the token. */
  idIn(token: string): string | null;
  /** @param secret LINK_SECRET_BYTES random bytes. */
  tokenOf(id: string, secret: Uint8Array): string;
}

/** @param prefix letters of the token. @param kind the record that the token names. */
export function linkTokens(prefix: string, kind: IdKind): LinkTokens {
  const form = new RegExp(`^${prefix}_([0-9A-Z]{26})_[0-9A-Za-z_-]{43}$`);
  const idPrefix = `${ID_PREFIXES[kind]}_`;
  return {
    idIn(token) {
      const [, ulid = ''] = form.exec(token) ?? [];
      return isUlid(ulid) ? idPrefix + ulid : null;
    },
    tokenOf: (id, secret) => `${prefix}_${id.slice(idPrefix.length)}_${Buffer.from(secret).toString('base64url')}`,
  };
}
