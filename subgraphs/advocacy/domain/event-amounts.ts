import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { centsOf, objectsOf } from './payload-values.js';

/** Money that an event tells of beside its adjustments, in hundredths. */
export interface EventAmounts {
  readonly charge_cents: number | null;
  readonly paid_cents: number | null;
  /** What the payer says is left to the member. */
  readonly member_cents: number | null;
  /** What FHIR's totals take off the price, and what they call not covered. */
  readonly discount_cents: number | null;
  readonly not_covered_cents: number | null;
}

/** 835 and FHIR tell charge and paid, a pharmacy's response `patient_pay` and `total_paid`. */
export function amountsOf(payload: JsonObject): EventAmounts {
  const amounts = isJsonObject(payload['amounts']) ? payload['amounts'] : {};
  const parts = categoriesOf(payload, amounts);
  return {
    charge_cents: firstOf(amounts, 'charge'),
    paid_cents: firstOf(amounts, 'paid', 'total_paid'),
    member_cents: firstOf(amounts, 'member_share', 'patient_pay') ?? shareOf(parts),
    discount_cents: sumOf(parts, 'discount'),
    not_covered_cents: sumOf(parts, 'noncovered'),
  };
}

function firstOf(amounts: JsonObject, ...names: readonly string[]): number | null {
  for (const name of names) {
    const cents = centsOf(amounts[name]);
    if (cents !== null) return cents;
  }
  return null;
}

/** Categories of FHIR's adjudications that say where a price went; what a line has, the totals have too. */
const CATEGORIES = ['memberliability', 'deductible', 'coinsurance', 'copay', 'discount', 'noncovered'] as const;

/** The totals where they tell any of it, else the lines. */
function categoriesOf(payload: JsonObject, amounts: JsonObject): readonly JsonObject[] {
  const totals = isJsonObject(amounts['totals']) ? amounts['totals'] : {};
  if (CATEGORIES.some((name) => centsOf(totals[name]) !== null)) return [totals];
  return objectsOf(payload['lines']).flatMap(({ amounts: line }) => (isJsonObject(line) ? [line] : []));
}

/** The member's liability holds deductible, coinsurance and copay; without it they are added up. */
const shareOf = (parts: readonly JsonObject[]): number | null =>
  sumOf(parts, 'memberliability') ?? sumOf(parts, 'deductible', 'coinsurance', 'copay');

function sumOf(parts: readonly JsonObject[], ...names: readonly string[]): number | null {
  const told = parts.flatMap((part) => names.flatMap((name) => centsOf(part[name]) ?? []));
  return told.length === 0 ? null : told.reduce((sum, cents) => sum + cents, 0);
}
