import { isJsonObject, type JsonObject, type JsonValue } from '../json/strict-json.js';

const AMOUNT = /^(-?)(\d{1,12})(?:\.(\d{1,2})0*)?$/;

/** Reads an amount in hundredths: a decimal string, as adapters write it, or a number. */
export function centsOf(value: JsonValue | undefined): number | null {
  const [, sign, whole, fraction = ''] = AMOUNT.exec(String(value ?? '').trim()) ?? [];
  if (whole === undefined) return null;
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  return sign === '-' && cents !== 0 ? -cents : cents;
}

/** Writes an amount with two decimals. */
export const amountText = (cents: number): string => {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** The amount that an event bills and the amount that it pays, in hundredths. */
export interface StatedAmounts {
  readonly charge_cents: number | null;
  readonly paid_cents: number | null;
}

const NONE: JsonObject = {};

/** Returns the object `amounts` of a payload; empty if there is none. */
export const amountsIn = ({ amounts }: JsonObject): JsonObject => (isJsonObject(amounts) ? amounts : NONE);

/** Reads the first of these amounts that is stated. */
export function firstAmount(amounts: JsonObject, ...names: readonly string[]): number | null {
  for (const name of names) {
    const cents = centsOf(amounts[name]);
    if (cents !== null) return cents;
  }
  return null;
}

/** Reads both amounts of a payload. 835 and FHIR state `charge` and `paid`, a pharmacy response `total_paid`. */
export function statedAmounts(payload: JsonObject): StatedAmounts {
  const amounts = amountsIn(payload);
  return { charge_cents: firstAmount(amounts, 'charge'), paid_cents: firstAmount(amounts, 'paid', 'total_paid') };
}
