import { isExactLiteral } from '../../../../shared/json/exact-number.js';

/** What a byte of JSON outside a string is to the splitter; all others are blanks, commas and the letters of literals. */
export const [isPlain, isQuote, isOpen, isClose, isColon, isNumber, isLineEnd] = [0, 1, 2, 3, 4, 5, 6] as const;

export const byteClasses: Readonly<Uint8Array> = (() => {
  const classes = new Uint8Array(256);
  const set = (characters: string, kind: number): void => {
    for (const character of characters) classes[character.charCodeAt(0)] = kind;
  };
  set('"', isQuote);
  set('{[', isOpen);
  set('}]', isClose);
  set(':', isColon);
  set('-0123456789', isNumber);
  set('\n', isLineEnd);
  return classes;
})();

export const [quote, backslash, openBrace, openBracket, comma, lineFeed, smallU] = [
  0x22, 0x5c, 0x7b, 0x5b, 0x2c, 0x0a, 0x75,
] as const;

/** Blanks between values, with the record separator of RFC 7464 and the bytes that some systems set in front. */
export const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x1e || byte === 0x0b || byte === 0x02;

/** Index behind the number that begins at `start`; `bytes.length` when it may go on. */
export function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = start;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const belongs = (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2d || byte === 0x2b;
    if (!belongs && byte !== 0x65 && byte !== 0x45) break;
  }
  return at;
}

/** Where the string that begins at `start` closes; -1 when it holds an escape or a newline, or goes on behind these bytes. */
export function endOfPlainString(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return at;
    if (byte === backslash || byte === lineFeed) return -1;
  }
  return -1;
}

/** Up to 15 digits without an exponent always survive the trip through a double. */
const safeLiteral = 15;
/** A longer literal is never compared digit by digit. */
const literalLimit = 64;

/** True for a number whose decimal value a double does not keep. */
export function isInexactAt(bytes: Buffer, from: number, to: number): boolean {
  let plain = to - from <= safeLiteral;
  for (let at = from; plain && at < to; at += 1) plain = ((bytes[at] ?? 0) | 0x20) !== 0x65;
  if (plain) return false;
  return to - from > literalLimit || !isExactLiteral(bytes.toString('latin1', from, to));
}

export const hasUtf8Mark = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** UTF-16's marks, or a NUL among the first characters. */
export function isUtf16(bytes: Uint8Array): boolean {
  const marked = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return marked || bytes.subarray(0, 8).includes(0);
}

/** True where what stands before a newline ends no comma, bracket or colon, which in printed JSON an object inside another follows. */
export function isBrokenBefore(bytes: Uint8Array, lineEnd: number): boolean {
  let before = lineEnd - 1;
  while (before >= 0 && isBlank(bytes[before] ?? 0)) before -= 1;
  const byte = bytes[before] ?? comma;
  return byte !== comma && byte !== openBracket && byte !== 0x3a;
}

/** True where a quote, a backslash or a newline still comes. */
export const holdsAny = (bytes: Buffer, from: number): boolean =>
  bytes.includes(quote, from) || bytes.includes(backslash, from) || bytes.includes(lineFeed, from);

/** True for a `\uD8..` to `\uDF..` escape whose backslash is at `at`: half a surrogate pair, alone or not. */
export function isSurrogateEscape(bytes: Uint8Array, at: number): boolean {
  const [first = 0, second = 0] = [bytes[at + 2], bytes[at + 3]];
  if ((first | 0x20) !== 0x64) return false;
  const digit = second | 0x20;
  return second === 0x38 || second === 0x39 || (digit >= 0x61 && digit <= 0x66);
}

/** True where a line begins with `{"resourceType"`, which inside an object only follows a comma, bracket or colon. */
export function beginsResource(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== openBrace) return false;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(48, bytes.length - at)).toString('latin1');
  return /^\{[ \t]*"resourceType"/.test(text);
}

export function asBuffer(chunk: Uint8Array | undefined): Buffer {
  return chunk === undefined ? Buffer.alloc(0) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
