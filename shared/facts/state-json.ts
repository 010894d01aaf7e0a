import { isoTime } from '../clock/clock.js';
import type { JsonValue } from '../json/strict-json.js';
import { CompactRange } from '../merkle/compact-range.js';
import { EMPTY_ROOT, leafHash } from '../merkle/hashes.js';

// How facts state stored values.

const EMPTY_LIST_ROOT = EMPTY_ROOT.toString('hex');

/** A list as a fact states it: its count and the RFC 6962 root over its texts. */
export function countAndRoot(texts: readonly string[]): { readonly count: number; readonly root: string } {
  if (texts.length === 0) return { count: 0, root: EMPTY_LIST_ROOT };
  const range = new CompactRange();
  for (const text of texts) range.append(leafHash(Buffer.from(text)));
  return { count: texts.length, root: range.root().toString('hex') };
}

/**
 * A stored value as JSON: times in RFC 3339, bytes in base64, absent members left out. Values that only an edited row
 * has, such as NaN, become text, so that the comparison fails and names the row.
 */
export function jsonOf(value: unknown): JsonValue {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : isoTime(value.getTime());
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return String(value);
  const object: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) if (member !== undefined) setMember(object, name, jsonOf(member));
  return object;
}

/** An assignment to `__proto__` would set no member. */
function setMember(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}
