const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const SPACE = 0x20;

/**
 * Counts the bytes of each item of a body that is an array, or an object with the batch as its only array. The body has been
 * parsed, so it is valid JSON; only brackets in strings must be skipped.
 */
export function itemSizes(bytes: Buffer): number[] {
  const sizes: number[] = [];
  let i = startOfArray(bytes) + 1;
  let depth = 0;
  let start = -1;
  let end = -1;
  for (; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte <= SPACE) continue;
    if (depth === 0 && (byte === COMMA || byte === CLOSE_BRACKET)) {
      if (start >= 0) sizes.push(end - start + 1);
      start = -1;
      if (byte === CLOSE_BRACKET) break;
      continue;
    }
    if (start < 0) start = i;
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    end = i;
  }
  return sizes;
}

function startOfArray(bytes: Buffer): number {
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === QUOTE) i = endOfString(bytes, i);
    else if (bytes[i] === OPEN_BRACKET) return i;
  }
  return bytes.length;
}

/** Index of the closing quote: the first one after an even number of backslashes. */
function endOfString(bytes: Buffer, open: number): number {
  for (let close = bytes.indexOf(QUOTE, open + 1); close >= 0; close = bytes.indexOf(QUOTE, close + 1)) {
    let slashes = 0;
    while (bytes[close - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return close;
  }
  return bytes.length;
}
