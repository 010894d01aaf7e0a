import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';

/** SHA-256 of the canonical form (RFC 8785) of an answer, as it is without its own hash and without the entry it became. */
export const answerSha256 = (answer: object): string =>
  createHash('sha256')
    .update(canonicalJson(answer as JsonValue))
    .digest('hex');
