import {
  amountsIn,
  centsOf,
  firstAmount,
  type StatedAmounts,
  statedAmounts,
} from '../../../../shared/event-keys/stated-amounts.js';
import { isJsonObject, type JsonObject } from '../../../../shared/json/strict-json.js';
import { objectsOf } from './payload-values.js';

/** Amounts that an event states besides its adjustments, in hundredths. */
export interface EventAmounts extends StatedAmounts {
  /** The member's share, as the payer states it. */
  readonly member_cents: number | null;
  /** Discount and non-covered amount of FHIR's totals. */
  readonly discount_cents: number | null;
  readonly not_covered_cents: number | null;
}

/** Reads the amounts of a payload. 835 and FHIR state `charge` and `paid`, a pharmacy response `patient_pay` and `total_paid`. */
export function amountsOf(payload: JsonObject): EventAmounts {
  const amounts = amountsIn(payload);
  const parts = categoriesOf(payload, amounts);
  return {
    ...statedAmounts(payload),
    member_cents: firstAmount(amounts, 'member_share', 'patient_pay') ?? shareOf(parts),
    discount_cents: sumOf(parts, 'discount'),
    not_covered_cents: sumOf(parts, 'noncovered'),
  };
}

/** Categories of FHIR adjudications that split a price. The totals include the amounts of the lines. */
const CATEGORIES = ['memberliability', 'deductible', 'coinsurance', 'copay', 'discount', 'noncovered'] as const;

/** Returns the totals if they state any category, else the lines. */
function categoriesOf(payload: JsonObject, amounts: JsonObject): readonly JsonObject[] {
  const totals = isJsonObject(amounts['totals']) ? amounts['totals'] : {};
  if (CATEGORIES.some((name) => centsOf(totals[name]) !== null)) return [totals];
  return objectsOf(payload['lines']).flatMap(({ amounts: line }) => (isJsonObject(line) ? [line] : []));
}

/** Returns the member's liability, else the sum of deductible, coinsurance and copay. */
const shareOf = (parts: readonly JsonObject[]): number | null =>
  sumOf(parts, 'memberliability') ?? sumOf(parts, 'deductible', 'coinsurance', 'copay');

function sumOf(parts: readonly JsonObject[], ...names: readonly string[]): number | null {
  const stated = parts.flatMap((part) => names.flatMap((name) => centsOf(part[name]) ?? []));
  return stated.length === 0 ? null : stated.reduce((sum, cents) => sum + cents, 0);
}
