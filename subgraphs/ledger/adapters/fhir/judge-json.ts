import { isAscii, isUtf8 } from 'node:buffer';
import { type Fields, isFields } from './json.js';

export interface Judged {
  readonly value: Fields;
}

export interface Fault {
  readonly code: 'NESTED_TOO_DEEP' | 'UNSUPPORTED_ENCODING' | 'NOT_JSON' | 'DUPLICATE_KEY' | 'LONE_SURROGATE';
  readonly message: string;
}

/** What the splitter saw of a text that the parse does not show. */
export interface Seen {
  /** Null when they are not to be compared. */
  readonly members: number | null;
  readonly tooDeep: boolean;
  readonly surrogates: boolean;
}

/**
 * Parses the text of one object and refuses what readers of it could take for different things: keys written twice, half
 * surrogate pairs, bytes that are not UTF-8. The depth is known from the splitter, before anything recursive sees the value.
 */
export function judgeJson(bytes: Buffer, seen: Seen): Judged | Fault {
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
  if (!isFields(value)) return { code: 'NOT_JSON', message: 'the text is no JSON object' };
  if (seen.members !== null && countMembers(value) !== seen.members) {
    return { code: 'DUPLICATE_KEY', message: 'an object writes a key twice' };
  }
  if (seen.surrogates && holdsLoneSurrogate(value)) {
    return { code: 'LONE_SURROGATE', message: 'a text holds half of a surrogate pair' };
  }
  return { value };
}

/** A repeated key was written twice and kept once, so the parse shows fewer members than the text. Its depth is bounded. */
function countMembers(value: object): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) count += countMembers(item);
    return count;
  }
  const fields = value as Fields;
  for (const key in fields) {
    count += 1;
    const member = fields[key];
    if (typeof member === 'object' && member !== null) count += countMembers(member);
  }
  return count;
}

/** By code points, a half of a pair is one of its own; a whole pair is another character. */
const loneSurrogate = /\p{Cs}/u;

function holdsLoneSurrogate(root: Fields): boolean {
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') {
      if (loneSurrogate.test(value)) return true;
    } else if (Array.isArray(value)) open.push(...value.filter((item) => item !== null));
    else if (isFields(value)) {
      for (const key in value) {
        if (loneSurrogate.test(key)) return true;
        if (value[key] !== null) open.push(value[key]);
      }
    }
  }
  return false;
}
