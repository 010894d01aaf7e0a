/** A decimal number as digits without leading or trailing zeros, and the power of ten of the last digit. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

const LITERAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

function decimalOf(literal: string): Decimal | undefined {
  const match = LITERAL.exec(literal);
  if (!match) return undefined;
  const [, whole = '', fraction = '', power = '0'] = match;
  const significant = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = withoutTrailingZeros(significant);
  if (digits === '') return { digits: '', exponent: 0 };
  return { digits, exponent: Number(power) - fraction.length + (significant.length - digits.length) };
}

// Not `/0+$/`, which takes quadratic time over a long run of zeros that does not end the text.
function withoutTrailingZeros(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '0') end--;
  return text.slice(0, end);
}

/**
 * True when the literal's decimal value is the one that RFC 8785 prints after the trip through a double:
 * 0.1 and 1.0 pass, 12345678901234567890 does not (evidence.md section 2). Text that is no number at all passes,
 * because the JSON parse names that fault better.
 */
export function isExactLiteral(literal: string): boolean {
  const sent = decimalOf(literal);
  if (!sent) return true;
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  const kept = decimalOf(String(value));
  return kept !== undefined && kept.digits === sent.digits && (kept.digits === '' || kept.exponent === sent.exponent);
}
