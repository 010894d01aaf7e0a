/** The bytes of standard base64 (RFC 4648 section 4) in its one canonical spelling; undefined for anything else. */
export function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** A whole number in decimal without leading zeros, as notes write sizes and indexes; undefined for anything else. */
export function fromDecimal(text: string): number | undefined {
  if (!/^(0|[1-9][0-9]{0,15})$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A hash of 32 bytes in base64; undefined for anything else. */
export function hashFromBase64(text: string): Buffer | undefined {
  const bytes = fromBase64(text);
  return bytes?.length === 32 ? bytes : undefined;
}
