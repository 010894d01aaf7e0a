import type { Randomness } from '../../../../shared/ids/ids.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = ALPHABET.length;

/** Writes a non-negative safe integer in base 62, padded with zeros to `width`. @throws RangeError if it needs more */
export function base62OfNumber(value: number, width: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < width; i++) {
    text = `${ALPHABET[rest % BASE]}${text}`;
    rest = Math.floor(rest / BASE);
  }
  if (rest !== 0) throw new RangeError(`the number needs more than ${width} base62 characters`);
  return text;
}

/** Writes bytes as one big-endian number in base 62. @throws RangeError if it needs more than `width` characters */
export function base62OfBytes(bytes: Uint8Array, width: number): string {
  let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let i = 0; i < width; i++) {
    text = `${ALPHABET[Number(rest % BigInt(BASE))]}${text}`;
    rest /= BigInt(BASE);
  }
  if (rest !== 0n) throw new RangeError(`the bytes need more than ${width} base62 characters`);
  return text;
}

// Bytes from here on would favour the first characters of the alphabet.
const UNBIASED_BELOW = 256 - (256 % BASE);

/** Returns `length` random characters, each equally likely. */
export function randomBase62(length: number, randomness: Randomness): string {
  const byte = new Uint8Array(1);
  let text = '';
  while (text.length < length) {
    randomness.fill(byte);
    const [value = 0] = byte;
    if (value < UNBIASED_BELOW) text += ALPHABET[value % BASE];
  }
  return text;
}
