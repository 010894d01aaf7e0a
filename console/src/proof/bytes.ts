// Bytes and hashes, by Web Crypto alone.

export type Bytes = Uint8Array<ArrayBuffer>;

export const utf8 = (text: string): Bytes => new Uint8Array(new TextEncoder().encode(text));

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export function ofHex(hex: string): Bytes {
  if (!/^([0-9a-f]{2})*$/.test(hex)) throw new RangeError('not hexadecimal');
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export const ofBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

export function joined(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export const sha256 = async (...parts: readonly Uint8Array[]): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', joined(...parts)));

/** D(tag, x…) = H("eas:" ‖ tag ‖ ":v1" ‖ 0x00 ‖ x…). */
export const tagged = (tag: string, ...parts: readonly Uint8Array[]): Promise<Bytes> =>
  sha256(utf8(`eas:${tag}:v1\0`), ...parts);

/** Prepares HMAC-SHA-256 under a key. */
export async function hmacUnder(key: Bytes): Promise<(text: string) => Promise<Bytes>> {
  const prepared = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return async (text) => new Uint8Array(await crypto.subtle.sign('HMAC', prepared, utf8(text)));
}
