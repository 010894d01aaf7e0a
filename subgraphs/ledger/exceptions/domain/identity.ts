import type { ExceptionKind } from '../../../../shared/contracts/exceptions.js';
import { sha256Hex } from '../../../../shared/crypto/hash.js';
import { encodeTime, ID_PREFIXES, idTimeMs } from '../../../../shared/ids/ids.js';
import { canonicalJson } from '../../../../shared/json/canonical.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';

const HEX_DIGITS_OF_HALF = 10;
const CHARACTERS_OF_HALF = 8;

/** Returns the id of the exception of a kind that is derived from an event: a second derivation opens no second one. */
export function exceptionIdOf(kind: ExceptionKind, eventId: string): string {
  const hash = sha256Hex(`${kind} ${eventId}`);
  const half = (n: number): string => {
    const digits = hash.slice(n * HEX_DIGITS_OF_HALF, (n + 1) * HEX_DIGITS_OF_HALF);
    return encodeTime(Number.parseInt(digits, 16)).slice(-CHARACTERS_OF_HALF);
  };
  return `${ID_PREFIXES.exception}_${encodeTime(idTimeMs(eventId))}${half(0)}${half(1)}`;
}

/** Two exceptions of a kind are the same if this is equal. */
export const subjectKeyOf = (subject: JsonObject): string => sha256Hex(canonicalJson(subject));

/** Returns the texts of a subject except its kind: identifiers and hashes. */
export const idsIn = ({ kind: _, ...members }: JsonObject): string[] => [
  ...new Set(Object.values(members).filter((value): value is string => typeof value === 'string')),
];
