import { isoTime } from '../clock/clock.js';
import type { JsonValue } from '../json/strict-json.js';
import { CompactRange } from '../merkle/compact-range.js';
import { leafHash } from '../merkle/hashes.js';

// How facts state stored values.

/** A list as a fact states it: its count and the RFC 6962 root over its texts. */
export function countAndRoot(texts: readonly string[]): { readonly count: number; readonly root: string } {
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
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, jsonOf(member)]));
}
