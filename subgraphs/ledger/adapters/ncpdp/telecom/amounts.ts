import { formatCents, parseCents } from '../../x12/money.js';

const positive = '{ABCDEFGHI';
const negative = '}JKLMNOPQR';
const digitsPattern = /^\d{1,11}$/;

/**
 * The decimal string of a dollar field (s9(6)v99): two implied decimals, the sign in the last character (`557{` is 55.70,
 * `100}` is -10.00). A plain digit there is positive; a written decimal point is taken at its word. Null when it is no amount.
 */
export function readAmount(text: string): string | null {
  const last = text.slice(-1);
  if (text.includes('.')) {
    const cents = parseCents(text);
    return cents === null ? null : formatCents(cents);
  }
  const plus = positive.indexOf(last);
  const minus = negative.indexOf(last);
  const sign = last !== '' && minus !== -1 ? -1 : 1;
  const digit = sign === -1 ? String(minus) : plus === -1 || last === '' ? last : String(plus);
  const digits = text.slice(0, -1) + digit;
  if (!digitsPattern.test(digits)) return null;
  const cents = Number(digits) * sign;
  return formatCents(cents === 0 ? 0 : cents);
}

/** The decimal string of a quantity (9(7)v999): three implied decimals; null when it is none. */
export function readQuantity(text: string): string | null {
  if (/^\d{1,10}\.\d{1,3}$/.test(text)) return text;
  if (!/^\d{1,12}$/.test(text)) return null;
  const digits = text.padStart(4, '0');
  return `${String(Number(digits.slice(0, -3)))}.${digits.slice(-3)}`;
}
