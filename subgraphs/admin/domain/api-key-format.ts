import { crc32 } from '../../../shared/crypto/crc32.js';
import type { Randomness } from '../../../shared/ids/ids.js';
import { base62OfBytes, base62OfNumber, randomBase62 } from './base62.js';

// eas_<env>_<key id 12>_<secret 43><checksum 6>, all base62 (docs/api-keys.md). The key id finds the record without the
// secret being a search term; the checksum lets a typing slip be refused without asking the database.

const LOOKUP_ID_LENGTH = 12;
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

export const KEY_ENVIRONMENT = 'live';

/** What secret scanners may search for. */
export const API_KEY_PATTERN = `eas_[a-z]{2,8}_[0-9A-Za-z]{${LOOKUP_ID_LENGTH}}_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`;

const API_KEY = new RegExp(`^${API_KEY_PATTERN}$`);
const LAST_FOUR = 4;

/** Keys that an operator brings along (SERVICE_ADMIN_API_KEY) have any shape, within these lengths. */
export const FOREIGN_KEY_MIN_LENGTH = 32;
export const FOREIGN_KEY_MAX_LENGTH = 512;

export interface MintedKey {
  readonly apiKey: string;
  readonly lookupId: string;
}

/** OURS has the shape and its checksum; MISSPELT has the shape alone; FOREIGN may be a key brought along; else NO_KEY. */
export type ReadKey =
  | { readonly kind: 'OURS'; readonly lookupId: string }
  | { readonly kind: 'MISSPELT' | 'FOREIGN' | 'NO_KEY' };

const checksumOf = (text: string): string => base62OfNumber(crc32(text), CHECKSUM_LENGTH);

/** A fresh key with 256 random bits of secret. */
export function mintApiKey(randomness: Randomness): MintedKey {
  const lookupId = randomBase62(LOOKUP_ID_LENGTH, randomness);
  const secret = base62OfBytes(randomness.fill(new Uint8Array(SECRET_BYTES)), SECRET_LENGTH);
  const text = `eas_${KEY_ENVIRONMENT}_${lookupId}_${secret}`;
  return { apiKey: text + checksumOf(text), lookupId };
}

/** Judges a presented key without any look-up. */
export function readApiKey(text: string): ReadKey {
  if (API_KEY.test(text)) {
    const body = text.slice(0, -CHECKSUM_LENGTH);
    if (checksumOf(body) !== text.slice(-CHECKSUM_LENGTH)) return { kind: 'MISSPELT' };
    return { kind: 'OURS', lookupId: body.slice(-SECRET_LENGTH - 1 - LOOKUP_ID_LENGTH, -SECRET_LENGTH - 1) };
  }
  const foreign = text.length >= FOREIGN_KEY_MIN_LENGTH && text.length <= FOREIGN_KEY_MAX_LENGTH;
  return { kind: foreign ? 'FOREIGN' : 'NO_KEY' };
}

/** What lists show of a key: enough to recognise it, nothing to use it. A key brought along has no public prefix. */
export function shownPartsOf(apiKey: string): { readonly prefix: string | null; readonly last_four: string } {
  const ours = readApiKey(apiKey).kind === 'OURS';
  return {
    prefix: ours ? apiKey.slice(0, -(1 + SECRET_LENGTH + CHECKSUM_LENGTH)) : null,
    last_four: apiKey.slice(-LAST_FOUR),
  };
}
