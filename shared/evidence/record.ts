import type { JsonObject, JsonValue } from '../json/strict-json.js';

/** What the service adds to an envelope to make a record; none of it is part of the envelope "as sent". */
export interface RecordStamp {
  readonly event_id: string;
  readonly tenant_id: string;
  /** UTC, three decimals. */
  readonly received_at: string;
}

/** Every scalar, empty object and empty array of a record: its RFC 6901 pointer and its JCS text, in document order. */
export interface Leaves {
  readonly pointers: string[];
  readonly values: string[];
}

export interface BuiltRecord {
  /** R = JCS of the envelope's members and the stamp (evidence.md section 2). */
  readonly text: string;
  /** JCS of the envelope as sent, without tenant_id: the duplicate key's input. */
  readonly sent: string;
  readonly leaves: Leaves;
}

const STAMPED: ReadonlySet<string> = new Set(['event_id', 'tenant_id', 'received_at']);
const EFFECTIVE_TIME = 'event_effective_timestamp';

/**
 * Builds R, the text under the duplicate key and the leaves in one walk of the envelope.
 *
 * @param omitTime the effective time is only the time of receipt: left out of the duplicate key, so that the same
 *   bytes posted again are the same event.
 */
export const buildRecord = (envelope: JsonObject, stamp: RecordStamp, omitTime = false): BuiltRecord =>
  rebuildRecord({ ...envelope, ...stamp }, omitTime);

/** The same walk over a stored record's members: the text must come out as it was kept. */
export function rebuildRecord(members: JsonObject, omitTime = false): BuiltRecord {
  const leaves: Leaves = { pointers: [], values: [] };
  let text = '';
  let sent = '';
  for (const key of Object.keys(members).sort()) {
    const member = `${quoted(key)}:${walk(members[key] as JsonValue, `/${pointerToken(key)}`, leaves)}`;
    text += text === '' ? member : `,${member}`;
    if (STAMPED.has(key) || (omitTime && key === EFFECTIVE_TIME)) continue;
    sent += sent === '' ? member : `,${member}`;
  }
  return { text: `{${text}}`, sent: `{${sent}}`, leaves };
}

function walk(value: JsonValue, pointer: string, leaves: Leaves): string {
  if (value === null || typeof value !== 'object') return leaf(scalar(value), pointer, leaves);
  if (Array.isArray(value)) {
    if (value.length === 0) return leaf('[]', pointer, leaves);
    let text = '';
    for (let i = 0; i < value.length; i++) {
      const item = walk(value[i] as JsonValue, `${pointer}/${i}`, leaves);
      text += i === 0 ? item : `,${item}`;
    }
    return `[${text}]`;
  }
  const keys = Object.keys(value).sort();
  if (keys.length === 0) return leaf('{}', pointer, leaves);
  let text = '';
  for (const key of keys) {
    const member = `${quoted(key)}:${walk(value[key] as JsonValue, `${pointer}/${pointerToken(key)}`, leaves)}`;
    text += text === '' ? member : `,${member}`;
  }
  return `{${text}}`;
}

function leaf(text: string, pointer: string, leaves: Leaves): string {
  leaves.pointers.push(pointer);
  leaves.values.push(text);
  return text;
}

/** RFC 6901 section 3. */
function pointerToken(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
}

function scalar(value: null | boolean | number | string): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('JCS has no form for this number');
  return String(value);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

// What JSON.stringify escapes (RFC 8785 section 3.2.2.2); strings without it need no more than quotes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const ESCAPED = /[\u0000-\u001f"\\\ud800-\udfff]/;

/** Up to this length looking at each unit is faster than the expression. */
const LOOPED_LENGTH = 64;

/** A string as JCS prints it. */
export function quoted(text: string): string {
  if (text.length > LOOPED_LENGTH) return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit === QUOTE || unit === BACKSLASH || (unit >= 0xd800 && unit <= 0xdfff)) {
      return JSON.stringify(text);
    }
  }
  return `"${text}"`;
}
