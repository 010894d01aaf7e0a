const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * An element's text: blanks around it dropped; bytes above 0x7F read as UTF-8, or as Latin-1 where they are not UTF-8
 * (X12 names no character set). `raw` holds one character a byte.
 */
export function cleanText(raw: string, ascii: boolean): string {
  if (ascii) return trimBlanks(raw);
  return trimBlanks(decodeBytes(raw));
}

function decodeBytes(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    return raw;
  }
}

/** `trim`, without its cost for the usual value that needs none. */
function trimBlanks(value: string): string {
  const last = value.charCodeAt(value.length - 1);
  if (value.charCodeAt(0) > 32 && last > 32 && last < 128) return value;
  return value.trim();
}
