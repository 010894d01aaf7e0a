/**
 * Money as whole cents in a safe integer: exact, and quick. An amount holds at most eleven digits before the point
 * (under 100 billion dollars), so that even nine hundred of them add up exactly; anything else is malformed.
 */
const wholeDigits = 11;
const [zero, nine, point, minus, plus] = [48, 57, 46, 45, 43] as const;

/** Cents of an X12 decimal (`100`, `-6173.5`, `.5`); null when it is not one or has parts of a cent. */
export function parseCents(text: string): number | null {
  const sign = text.charCodeAt(0);
  const start = sign === minus || sign === plus ? 1 : 0;
  let cents = 0;
  let digits = 0;
  let places = -1;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === point && places === -1) {
      places = 0;
      continue;
    }
    if (code < zero || code > nine) return null;
    digits += 1;
    if (places >= 2) {
      if (code !== zero) return null;
      continue;
    }
    if (places >= 0) places += 1;
    else if (digits > wholeDigits) return null;
    cents = cents * 10 + (code - zero);
  }
  if (digits === 0) return null;
  if (places < 1) cents *= 100;
  else if (places === 1) cents *= 10;
  return sign === minus && cents !== 0 ? -cents : cents;
}

/** The decimal string of cents: two places, `-` in front of a negative one. */
export function formatCents(cents: number | bigint): string {
  const negative = cents < 0;
  if (typeof cents === 'number' && !negative && cents % 100 === 0) return `${cents / 100}.00`;
  const digits = String(negative ? -cents : cents).padStart(3, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The decimal string of an amount as it was sent; null when malformed. */
export function decimalAmount(text: string): string | null {
  const cents = parseCents(text);
  return cents === null ? null : formatCents(cents);
}
