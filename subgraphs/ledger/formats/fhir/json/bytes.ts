import { isExactLiteral } from '../../../../../shared/json/exact-number.js';

/** Classes of JSON bytes outside strings; all others are blanks, commas and letters of literals. */
const [IS_PLAIN, IS_QUOTE, IS_OPEN, IS_CLOSE, IS_COLON, IS_NUMBER, IS_LINE_END] = [0, 1, 2, 3, 4, 5, 6] as const;

export { IS_CLOSE, IS_COLON, IS_LINE_END, IS_NUMBER, IS_OPEN, IS_PLAIN, IS_QUOTE };

export const byteClasses: Readonly<Uint8Array> = (() => {
  const classes = new Uint8Array(256);
  const set = (characters: string, kind: number): void => {
    for (const character of characters) classes[character.charCodeAt(0)] = kind;
  };
  set('"', IS_QUOTE);
  set('{[', IS_OPEN);
  set('}]', IS_CLOSE);
  set(':', IS_COLON);
  set('-0123456789', IS_NUMBER);
  set('\n', IS_LINE_END);
  return classes;
})();

const [QUOTE, BACKSLASH, OPEN_BRACE, OPEN_BRACKET] = [0x22, 0x5c, 0x7b, 0x5b] as const;
const [COMMA, LINE_FEED, SMALL_U] = [0x2c, 0x0a, 0x75] as const;

export { BACKSLASH, COMMA, LINE_FEED, OPEN_BRACE, OPEN_BRACKET, QUOTE, SMALL_U };

/** Blanks between values, including RFC 7464's record separator and framing bytes of some systems. */
export const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x1e || byte === 0x0b || byte === 0x02;

/** Index after the number that begins at `start`; `bytes.length` if it may continue. */
export function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = start;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const belongs = (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2d || byte === 0x2b;
    if (!belongs && byte !== 0x65 && byte !== 0x45) break;
  }
  return at;
}

/**
 * Where the string that begins at `start` closes; -1 if it has an escape or a newline, or continues after these bytes.
 */
export function endOfPlainString(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte === LINE_FEED) return -1;
  }
  return -1;
}

/** A double keeps up to 15 digits without an exponent exactly. */
const SAFE_LITERAL = 15;
/** Longer literals are not compared digit by digit. */
const LITERAL_LIMIT = 64;

/** True for a number with a decimal value that a double cannot keep. */
export function isInexactAt(bytes: Buffer, from: number, to: number): boolean {
  let plain = to - from <= SAFE_LITERAL;
  for (let at = from; plain && at < to; at += 1) plain = ((bytes[at] ?? 0) | 0x20) !== 0x65;
  if (plain) return false;
  return to - from > LITERAL_LIMIT || !isExactLiteral(bytes.toString('latin1', from, to));
}

export const hasUtf8Mark = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** True if no comma, bracket or colon precedes a newline. In printed JSON a nested object follows one of these. */
export function isBrokenBefore(bytes: Uint8Array, lineEnd: number): boolean {
  let before = lineEnd - 1;
  while (before >= 0 && isBlank(bytes[before] ?? 0)) before -= 1;
  const byte = bytes[before] ?? COMMA;
  return byte !== COMMA && byte !== OPEN_BRACKET && byte !== 0x3a;
}

/** True if a quote, a backslash or a newline follows. */
export const holdsAny = (bytes: Buffer, from: number): boolean =>
  bytes.includes(QUOTE, from) || bytes.includes(BACKSLASH, from) || bytes.includes(LINE_FEED, from);

/** True for the backslash of a `\uD8..` to `\uDF..` escape: half a surrogate pair, alone or not. */
export function isSurrogateEscape(bytes: Uint8Array, at: number): boolean {
  const [first = 0, second = 0] = [bytes[at + 2], bytes[at + 3]];
  if ((first | 0x20) !== 0x64) return false;
  const digit = second | 0x20;
  return second === 0x38 || second === 0x39 || (digit >= 0x61 && digit <= 0x66);
}

/** True if a line begins with `{"resourceType"`, which inside an object only follows a comma, bracket or colon. */
export function beginsResource(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== OPEN_BRACE) return false;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(48, bytes.length - at)).toString('latin1');
  return /^\{[ \t]*"resourceType"/.test(text);
}

export function asBuffer(chunk: Uint8Array | undefined): Buffer {
  return chunk === undefined ? Buffer.alloc(0) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
