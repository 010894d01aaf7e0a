import { isUtf8 } from 'node:buffer';
import { fault, problem } from '../errors/problem.js';
import { isExactLiteral } from './exact-number.js';
import { placeOf, type SyntaxFault, syntaxFaultOf } from './syntax-fault.js';

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Deeper documents are refused before anything recursive (canonical form, hashing, drivers) sees them. */
export const MAX_JSON_DEPTH = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const MINUS = 0x2d;
const SMALL_U = 0x75;

/** Names the place, and never the text itself. */
function malformed(bytes: Uint8Array, { offset, message: what, code }: SyntaxFault, cause?: unknown): Error {
  const { line, column } = placeOf(bytes, offset);
  const message = `${what} (line ${line}, column ${column}).`;
  return problem('MALFORMED_BODY', { message, errors: [{ ...fault('', code, message), line, column }], cause });
}

/**
 * Parses a body that will be hashed (evidence.md section 2): what cannot be canonicalised safely is refused as
 * MALFORMED_BODY — invalid UTF-8, duplicate keys, lone surrogates, numbers that JCS would print with another value,
 * nesting over MAX_JSON_DEPTH.
 *
 * One pass over the bytes collects what `JSON.parse` hides; the parse itself stays the engine's own.
 */
export function parseStrictJson(bytes: Uint8Array): JsonValue {
  if (!isUtf8(bytes)) throw problem('MALFORMED_BODY', { message: 'The body is not valid UTF-8.' });
  const members = inspect(bytes);
  let value: JsonValue;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch (cause) {
    throw malformed(bytes, syntaxFaultOf(bytes) ?? UNKNOWN_PLACE, cause);
  }
  // A repeated key was written twice and kept once: the only way the two counts can differ.
  if (countMembers(value) !== members) throw malformed(bytes, syntaxFaultOf(bytes) ?? UNKNOWN_PLACE);
  return value;
}

/** The engine refuses the text, and the scanner finds no place. */
const UNKNOWN_PLACE: SyntaxFault = { offset: 0, code: 'syntax', message: 'The body is not valid JSON' };

/** Checks depth, surrogate escapes and number literals; returns how many `key:` members the text has. */
function inspect(bytes: Uint8Array): number {
  let depth = 0;
  let members = 0;
  const end = bytes.length;
  for (let i = 0; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) {
      i = endOfString(bytes, i + 1);
    } else if (byte === COLON) {
      members++;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > MAX_JSON_DEPTH)
        throw malformed(bytes, faultAt(i, 'depth', `The body nests deeper than ${MAX_JSON_DEPTH} levels`));
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
    } else if (byte === MINUS || (byte >= 0x30 && byte <= 0x39)) {
      i = endOfNumber(bytes, i) - 1;
    }
  }
  return members;
}

const LONE_SURROGATE = 'A string holds a lone surrogate';
const faultAt = (offset: number, code: string, message: string): SyntaxFault => ({ offset, code, message });

/** Index of the closing quote (or the end of a broken text, which the parse then refuses). */
function endOfString(bytes: Uint8Array, start: number): number {
  const end = bytes.length;
  let pendingHigh = false;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) {
      if (pendingHigh) throw malformed(bytes, faultAt(i, 'surrogate', LONE_SURROGATE));
      return i;
    }
    if (byte !== BACKSLASH) {
      if (pendingHigh) throw malformed(bytes, faultAt(i, 'surrogate', LONE_SURROGATE));
      continue;
    }
    const unit = bytes[i + 1] === SMALL_U ? hexUnit(bytes, i + 2) : -1;
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow !== pendingHigh) throw malformed(bytes, faultAt(i, 'surrogate', LONE_SURROGATE));
    pendingHigh = unit >= 0xd800 && unit <= 0xdbff;
    i += unit >= 0 ? 5 : 1;
  }
  return end;
}

/** The UTF-16 unit of a `\uXXXX` escape, or -1 when the four characters are not hexadecimal. */
function hexUnit(bytes: Uint8Array, start: number): number {
  let unit = 0;
  for (let i = start; i < start + 4; i++) {
    const byte = bytes[i] ?? 0;
    const digit =
      byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : (byte | 32) >= 0x61 && (byte | 32) <= 0x66 ? (byte | 32) - 87 : -1;
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

// Up to 15 significant digits without an exponent always survive the trip through a double.
const SAFE_DIGITS = 15;

function endOfNumber(bytes: Uint8Array, start: number): number {
  let i = start;
  let plain = true;
  for (; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if ((byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === MINUS) continue;
    if (byte === 0x2b || byte === 0x65 || byte === 0x45) {
      plain = false;
      continue;
    }
    break;
  }
  if (plain && i - start <= SAFE_DIGITS) return i;
  const literal = Buffer.from(bytes.buffer, bytes.byteOffset + start, i - start).toString('latin1');
  if (!isExactLiteral(literal)) {
    throw malformed(bytes, faultAt(start, 'inexact', 'A number cannot be kept exactly; send it as a string'));
  }
  return i;
}

function countMembers(root: JsonValue): number {
  let count = 0;
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === 'object' && item !== null) open.push(item);
      continue;
    }
    for (const key in value) {
      count++;
      const member = value[key];
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return count;
}
