/**
 * Money as whole cents in a safe integer: exact, and quick. An amount holds at most eleven digits before the point
 * (under 100 billion dollars), so that even nine hundred of them add up exactly; anything else is malformed.
 */
const amountPattern = /^([+-]?)(\d{0,11})(?:\.(\d*))?$/;
const canonicalPattern = /^(?:0|[1-9]\d{0,10})\.\d\d$/;

/** Cents of an X12 decimal (`100`, `-6173.5`, `.5`); null when it is not one or has parts of a cent. */
export function parseCents(text: string): number | null {
  const match = amountPattern.exec(text);
  if (match === null) return null;
  const whole = match[2] ?? '';
  const fraction = match[3] ?? '';
  if (whole === '' && fraction === '') return null;
  if (fraction.length > 2 && /[1-9]/.test(fraction.slice(2))) return null;
  const cents = Number(whole) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'));
  return match[1] === '-' && cents !== 0 ? -cents : cents;
}

/** The decimal string of cents: two places, `-` in front of a negative one. */
export function formatCents(cents: number | bigint): string {
  const negative = cents < 0;
  const digits = String(negative ? -cents : cents).padStart(3, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The decimal string of an amount as it was sent; null when malformed. */
export function decimalAmount(text: string): string | null {
  if (canonicalPattern.test(text)) return text;
  const cents = parseCents(text);
  return cents === null ? null : formatCents(cents);
}
