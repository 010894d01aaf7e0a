import { isAscii, isUtf8 } from 'node:buffer';

/**
 * Readers of parsed JSON that treat a value of the wrong type as absent. Names are FHIR's own, so no prototype member
 * has them. A path has at most three names, so that reading allocates nothing.
 */
export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};
const EMPTY: readonly Fields[] = [];

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object at a path of names; empty if absent. */
export function fieldsAt(value: unknown, a: string, b?: string, c?: string): Fields {
  const found = valueAt(value, a, b, c);
  return isFields(found) ? found : NONE;
}

/** The objects of the list at a path; a single object counts as a list of one. */
export function listAt(value: unknown, a: string, b?: string, c?: string): readonly Fields[] {
  const found = valueAt(value, a, b, c);
  if (found === undefined) return EMPTY;
  if (!Array.isArray(found)) return isFields(found) ? [found] : EMPTY;
  return found.every(isFields) ? found : found.filter(isFields);
}

/** The text at a path, trimmed; '' if absent. */
export function textAt(value: unknown, a: string, b?: string, c?: string): string {
  const found = valueAt(value, a, b, c);
  return typeof found === 'string' ? found.trim() : '';
}

/** The texts of the list at a path. */
export function textsAt(value: unknown, a: string, b?: string): string[] {
  const found = valueAt(value, a, b);
  if (!Array.isArray(found)) return [];
  return found.filter((text): text is string => typeof text === 'string' && text.trim() !== '');
}

export function numberAt(value: unknown, a: string, b?: string, c?: string): number | undefined {
  const found = valueAt(value, a, b, c);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

export function booleanAt(value: unknown, a: string, b?: string): boolean | undefined {
  const found = valueAt(value, a, b);
  return typeof found === 'boolean' ? found : undefined;
}

function valueAt(value: unknown, a: string, b?: string, c?: string): unknown {
  if (!isFields(value)) return undefined;
  const first = value[a];
  if (b === undefined || first === undefined) return first;
  if (!isFields(first)) return undefined;
  const second = first[b];
  if (c === undefined || second === undefined) return second;
  return isFields(second) ? second[c] : undefined;
}

/** Unicode's Cc: C0, DEL and C1. */
export function holdsControl(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return true;
  }
  return false;
}

interface Parsed {
  readonly value: Fields;
}

interface Fault {
  readonly code: 'NESTED_TOO_DEEP' | 'UNSUPPORTED_ENCODING' | 'NOT_JSON' | 'DUPLICATE_KEY' | 'LONE_SURROGATE';
  readonly message: string;
}

/** What the splitter saw of a text that the parse does not show. */
interface Seen {
  /** Null to skip the comparison. */
  readonly members: number | null;
  readonly tooDeep: boolean;
  readonly surrogates: boolean;
}

/**
 * Parses the text of one object. Rejects texts that parsers may read differently: repeated keys, half surrogate pairs,
 * invalid UTF-8. The splitter has bounded the depth before.
 */
export function parseObject(bytes: Buffer, seen: Seen): Parsed | Fault {
  if (seen.tooDeep) return { code: 'NESTED_TOO_DEEP', message: 'the resource is nested too deep' };
  const plain = isAscii(bytes);
  if (!plain && !isUtf8(bytes)) return { code: 'UNSUPPORTED_ENCODING', message: 'the text is not UTF-8' };
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString(plain ? 'latin1' : 'utf8'));
  } catch {
    // The engine's message quotes the text, which may name a person.
    return { code: 'NOT_JSON', message: 'the text is not well-formed JSON' };
  }
  if (!isFields(value)) return { code: 'NOT_JSON', message: 'the text is not a JSON object' };
  if (seen.members !== null && countMembers(value) !== seen.members) {
    return { code: 'DUPLICATE_KEY', message: 'an object repeats a key' };
  }
  if (seen.surrogates && holdsLoneSurrogate(value)) {
    return { code: 'LONE_SURROGATE', message: 'a text contains half of a surrogate pair' };
  }
  return { value };
}

/**
 * Counts the members of a value. A parse keeps a repeated key once, so it has fewer members than the text. The depth is
 * bounded.
 */
function countMembers(value: object): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) count += countMembers(item);
    return count;
  }
  if (!isFields(value)) return count;
  for (const key in value) {
    count += 1;
    const member = value[key];
    if (typeof member === 'object' && member !== null) count += countMembers(member);
  }
  return count;
}

/** With the `u` flag a half surrogate matches and a pair does not. */
const LONE_SURROGATE = /\p{Cs}/u;

function holdsLoneSurrogate(root: Fields): boolean {
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') {
      if (LONE_SURROGATE.test(value)) return true;
    } else if (Array.isArray(value)) open.push(...value.filter((item) => item !== null));
    else if (isFields(value)) {
      for (const key in value) {
        if (LONE_SURROGATE.test(key)) return true;
        if (value[key] !== null) open.push(value[key]);
      }
    }
  }
  return false;
}
