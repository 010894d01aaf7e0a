/**
 * Money as whole cents in a safe integer: exact and fast. An amount has at most eleven digits before the point (under
 * 100 billion dollars), so that nine hundred of them still add up exactly. Anything else is malformed.
 */
const WHOLE_DIGITS = 11;
const [ZERO, NINE, POINT, MINUS, PLUS] = [48, 57, 46, 45, 43] as const;

/** Cents of an X12 decimal (`100`, `-6173.5`, `.5`); null if malformed or with fractions of a cent. */
export function parseCents(text: string): number | null {
  const sign = text.charCodeAt(0);
  const start = sign === MINUS || sign === PLUS ? 1 : 0;
  let cents = 0;
  let digits = 0;
  let places = -1;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === POINT && places === -1) {
      places = 0;
      continue;
    }
    if (code < ZERO || code > NINE) return null;
    digits += 1;
    if (places >= 2) {
      if (code !== ZERO) return null;
      continue;
    }
    if (places >= 0) places += 1;
    else if (digits > WHOLE_DIGITS) return null;
    cents = cents * 10 + (code - ZERO);
  }
  if (digits === 0) return null;
  if (places < 1) cents *= 100;
  else if (places === 1) cents *= 10;
  return sign === MINUS && cents !== 0 ? -cents : cents;
}

/** The decimal string of cents: two places, `-` for a negative amount. */
export function formatCents(cents: number | bigint): string {
  const negative = cents < 0;
  if (typeof cents === 'number' && !negative && cents % 100 === 0) return `${cents / 100}.00`;
  const digits = String(negative ? -cents : cents).padStart(3, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The decimal string of an amount; null if malformed. */
export function decimalAmount(text: string): string | null {
  const cents = parseCents(text);
  return cents === null ? null : formatCents(cents);
}
