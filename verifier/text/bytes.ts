// Hex, base64 and text without the platform's helpers, which differ between Node and browsers.

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += HEX[bytes[i] ?? 0];
  return text;
}

export const HASH_LENGTH = 64;

/** Returns true for the lower-case hex of a SHA-256. */
export function isHash(text: unknown): text is string {
  if (typeof text !== 'string' || text.length !== HASH_LENGTH) return false;
  for (let i = 0; i < HASH_LENGTH; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x30 || unit > 0x66 || (unit > 0x39 && unit < 0x61)) return false;
  }
  return true;
}

const nibble = (unit: number): number => (unit >= 0x61 ? unit - 0x57 : unit - 0x30);

/** Decodes valid lower-case hex into `target`. */
export function hexInto(text: string, target: Uint8Array, at = 0): void {
  for (let i = 0; i < text.length; i += 2) {
    target[at + i / 2] = (nibble(text.charCodeAt(i)) << 4) | nibble(text.charCodeAt(i + 1));
  }
}

/** Decodes the hash at `from` in valid hex. */
export function hexBytesInto(hex: Uint8Array, from: number, target: Uint8Array, at: number): void {
  for (let i = 0; i < HASH_LENGTH / 2; i++) {
    const high = nibble(hex[from + 2 * i] ?? 0);
    target[at + i] = (high << 4) | nibble(hex[from + 2 * i + 1] ?? 0);
  }
}

export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length / 2);
  hexInto(text, bytes);
  return bytes;
}

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Decodes canonical base64 (RFC 4648 section 4); returns undefined for anything else. */
export function fromBase64(text: string): Uint8Array | undefined {
  const body = text.replace(/={1,2}$/, '');
  if (text.length % 4 !== 0 || /[^A-Za-z0-9+/]/.test(body)) return undefined;
  return decodeBase64(body);
}

/** Decodes base64url without padding (RFC 4648 section 5), as JOSE writes it; returns undefined for anything else. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (/[^A-Za-z0-9_-]/.test(text)) return undefined;
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}

function decodeBase64(body: string): Uint8Array | undefined {
  if (body.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((body.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const character of body) {
    held = ((held << 6) | STANDARD.indexOf(character)) & 0xffffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (held >> bits) & 0xff;
  }
  // Remaining bits must be zero, or two spellings would decode to the same bytes.
  return (held & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}

export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const word = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const digits = Math.min(4, Math.ceil(((bytes.length - i) * 8) / 6));
    for (let digit = 0; digit < digits; digit++) text += STANDARD[(word >> (18 - 6 * digit)) & 63];
  }
  return text.replaceAll('+', '-').replaceAll('/', '_');
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8; returns undefined for invalid bytes. Keeps a byte order mark as a character. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return DECODER.decode(bytes);
  } catch (fault) {
    // By name: a decoder of another realm throws that realm's TypeError.
    if (String(fault).startsWith('TypeError')) return undefined;
    throw fault;
  }
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Matches only texts that JSON does not escape, though not all such texts. */
const PLAIN_TEXT = /^[A-Za-z0-9_.:/ -]*$/;

/** Returns the text as JSON. */
export const quoted = (text: string): string => (PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text));

/** Parses a whole decimal number without leading zeros; returns undefined for anything else. */
export function fromDecimal(text: string): number | undefined {
  if (!/^(0|[1-9][0-9]{0,15})$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
