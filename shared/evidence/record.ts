import { isJsonObject, type JsonObject, type JsonValue } from '../json/strict-json.js';

/** What the service adds to an envelope to make a record; none of it is part of the envelope "as sent". */
interface RecordStamp {
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
  /**
   * JCS of the envelope as sent, without tenant_id: the duplicate key's input. An event from a raw message counts by its
   * content: where it stood in which body does not belong to it.
   */
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
  for (const key of sorted(Object.keys(members))) {
    const { label, token } = keyTexts(key);
    const value = members[key] ?? null;
    const content = key === 'payload' ? readPayload(value) : null;
    const walked = content === null ? null : walkWithout(content, token, leaves, PLACE_OF_PAYLOAD);
    const member = label + (walked?.text ?? walk(value, token, leaves));
    text += text === '' ? member : `,${member}`;
    if (STAMPED.has(key) || (omitTime && key === EFFECTIVE_TIME)) continue;
    const kept = walked === null ? member : label + walked.kept;
    sent += sent === '' ? kept : `,${kept}`;
  }
  return { text: `{${text}}`, sent: `{${sent}}`, leaves };
}

/** Members of the payload of an event from a raw message that say where and how it stood there. */
const PLACE_OF_PAYLOAD: ReadonlySet<string> = new Set(['raw_sha256']);
const PLACE_OF_RAW: ReadonlySet<string> = new Set([
  'part_sha256',
  'offset',
  'length',
  'control_numbers',
  'warnings',
  'wholeness',
]);

/** A payload that names its content by hash (`raw.content_sha256`); null for any other. */
function readPayload(value: JsonValue): JsonObject | null {
  if (!isJsonObject(value)) return null;
  const raw = value['raw'];
  return isJsonObject(raw) && typeof raw['content_sha256'] === 'string' ? value : null;
}

/** Walks an object and builds its text twice: whole, and without the place of a raw message. */
function walkWithout(
  value: JsonObject,
  pointer: string,
  leaves: Leaves,
  omitted: ReadonlySet<string>,
): { readonly text: string; readonly kept: string } {
  let text = '';
  let kept = '';
  for (const key of sorted(Object.keys(value))) {
    const { label, token } = keyTexts(key);
    const inner = value[key] ?? null;
    const isRaw = omitted === PLACE_OF_PAYLOAD && key === 'raw' && isJsonObject(inner);
    const walked = isRaw ? walkWithout(inner, pointer + token, leaves, PLACE_OF_RAW) : null;
    const member = label + (walked?.text ?? walk(inner, pointer + token, leaves));
    text += text === '' ? member : `,${member}`;
    if (omitted.has(key)) continue;
    const content = walked === null ? member : label + walked.kept;
    kept += kept === '' ? content : `,${content}`;
  }
  return { text: `{${text}}`, kept: `{${kept}}` };
}

function walk(value: JsonValue, pointer: string, leaves: Leaves): string {
  if (value === null || typeof value !== 'object') return leaf(scalar(value), pointer, leaves);
  if (Array.isArray(value)) {
    if (value.length === 0) return leaf('[]', pointer, leaves);
    let text = '';
    for (let i = 0; i < value.length; i++) {
      const item = walk(value[i] ?? null, `${pointer}/${i}`, leaves);
      text += i === 0 ? item : `,${item}`;
    }
    return `[${text}]`;
  }
  const keys = sorted(Object.keys(value));
  if (keys.length === 0) return leaf('{}', pointer, leaves);
  let text = '';
  for (const key of keys) {
    const { label, token } = keyTexts(key);
    const member = label + walk(value[key] ?? null, pointer + token, leaves);
    text += text === '' ? member : `,${member}`;
  }
  return `{${text}}`;
}

function leaf(text: string, pointer: string, leaves: Leaves): string {
  leaves.pointers.push(pointer);
  leaves.values.push(text);
  return text;
}

/** More names than this are sorted by the engine. */
const MOST_INSERTED = 16;

/** By UTF-16 code units, in place: most objects have few members, for which the engine's sort costs more than an insertion. */
function sorted(keys: string[]): string[] {
  if (keys.length > MOST_INSERTED) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] ?? '';
    let at = i;
    for (; at > 0 && (keys[at - 1] ?? '') > key; at--) keys[at] = keys[at - 1] ?? '';
    keys[at] = key;
  }
  return keys;
}

/** A member's name as JCS prints it with its colon, and as the next part of a pointer. */
interface KeyTexts {
  readonly label: string;
  readonly token: string;
}

/** Names of members come again in every event. */
const knownKeys = new Map<string, KeyTexts>();
const MOST_KNOWN_KEYS = 4_096;
const LONGEST_KNOWN_KEY = 64;

function keyTexts(key: string): KeyTexts {
  const known = knownKeys.get(key);
  if (known !== undefined) return known;
  const made = { label: `${quoted(key)}:`, token: `/${pointerToken(key)}` };
  if (key.length > LONGEST_KNOWN_KEY) return made;
  if (knownKeys.size >= MOST_KNOWN_KEYS) knownKeys.clear();
  knownKeys.set(key, made);
  return made;
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
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
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
