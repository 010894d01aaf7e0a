import { crc32 } from '../../../../shared/crypto/crc32.js';
import type { Randomness } from '../../../../shared/ids/ids.js';
import { base62OfBytes, base62OfNumber, randomBase62 } from './base62.js';

// eas_<env>_<key id 12>_<secret 43><checksum 6>, all base62 (docs/api-keys.md). The key id finds the record without searching
// by the secret; the checksum detects a typing error without a query.

const LOOKUP_ID_LENGTH = 12;
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const KEY_ENVIRONMENT = 'live';

const API_KEY = new RegExp(
  `^eas_[a-z]{2,8}_[0-9A-Za-z]{${LOOKUP_ID_LENGTH}}_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`,
);
const LAST_FOUR = 4;

/** Keys that an operator provides (SERVICE_ADMIN_API_KEY) have any format within these lengths. */
export const FOREIGN_KEY_MIN_LENGTH = 32;
export const FOREIGN_KEY_MAX_LENGTH = 512;

interface MintedKey {
  readonly apiKey: string;
  readonly lookupId: string;
}

/** OURS: format and checksum fit. MISSPELT: only the format fits. FOREIGN: possibly a provided key. Else NO_KEY. */
type ReadKey =
  | { readonly kind: 'OURS'; readonly lookupId: string }
  | { readonly kind: 'MISSPELT' | 'FOREIGN' | 'NO_KEY' };

const checksumOf = (text: string): string => base62OfNumber(crc32(text), CHECKSUM_LENGTH);

/** Generates a key with 256 random bits of secret. */
export function mintApiKey(randomness: Randomness): MintedKey {
  const lookupId = randomBase62(LOOKUP_ID_LENGTH, randomness);
  const secret = base62OfBytes(randomness.fill(new Uint8Array(SECRET_BYTES)), SECRET_LENGTH);
  const text = `eas_${KEY_ENVIRONMENT}_${lookupId}_${secret}`;
  return { apiKey: text + checksumOf(text), lookupId };
}

/** Classifies a presented key without a query. */
export function readApiKey(text: string): ReadKey {
  if (API_KEY.test(text)) {
    const body = text.slice(0, -CHECKSUM_LENGTH);
    if (checksumOf(body) !== text.slice(-CHECKSUM_LENGTH)) return { kind: 'MISSPELT' };
    return { kind: 'OURS', lookupId: body.slice(-SECRET_LENGTH - 1 - LOOKUP_ID_LENGTH, -SECRET_LENGTH - 1) };
  }
  const foreign = text.length >= FOREIGN_KEY_MIN_LENGTH && text.length <= FOREIGN_KEY_MAX_LENGTH;
  return { kind: foreign ? 'FOREIGN' : 'NO_KEY' };
}

/** Returns the parts of a key that lists show: enough to recognise it, not to use it. A provided key has no public prefix. */
export function shownPartsOf(apiKey: string): { readonly prefix: string | null; readonly last_four: string } {
  const ours = readApiKey(apiKey).kind === 'OURS';
  return {
    prefix: ours ? apiKey.slice(0, -(1 + SECRET_LENGTH + CHECKSUM_LENGTH)) : null,
    last_four: apiKey.slice(-LAST_FOUR),
  };
}
