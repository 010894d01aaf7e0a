import { isJsonObject } from '../../../../shared/json/strict-json.js';
import type { AdjustmentGroup, EventCodes } from '../../facts/domain/index.js';
import { type Say, together } from './sentences.js';

/** Amounts by who owes them, in hundredths; null if the event does not state them. */
export interface Money {
  readonly currency: string;
  readonly charge: number | null;
  readonly paid: number | null;
  /** Group PR; without adjustment amounts, the member's share that the payer states. */
  readonly memberOwes: number | null;
  /** Group CO; without adjustment amounts, the discount. */
  readonly writtenOff: number;
  /** Group PI. */
  readonly payerReduction: number;
  /** Group OA. */
  readonly other: number;
  /** Group CR. */
  readonly correction: number;
  /** No group; without adjustment amounts, the non-covered amount. */
  readonly ungrouped: number;
  /** Charge minus payment and adjustments; 0 if the event balances, null if the charge or payment is unknown. */
  readonly unexplained: number | null;
}

export function moneyOf({ reasons, amounts }: EventCodes, payload: unknown): Money {
  const stated = reasons.filter(({ cents }) => cents !== null);
  const of = (group: AdjustmentGroup | null): number =>
    stated.filter((reason) => reason.group === group).reduce((sum, { cents }) => sum + (cents ?? 0), 0);
  const { charge_cents: charge, paid_cents: paid, member_cents, discount_cents, not_covered_cents } = amounts;
  const isAdjusted = stated.length > 0;
  const adjusted = isAdjusted
    ? stated.reduce((sum, { cents }) => sum + (cents ?? 0), 0)
    : (member_cents ?? 0) + (discount_cents ?? 0) + (not_covered_cents ?? 0);
  return {
    currency: currencyOf(payload),
    charge,
    paid,
    memberOwes: isAdjusted ? of('PR') : member_cents,
    writtenOff: isAdjusted ? of('CO') : (discount_cents ?? 0),
    payerReduction: of('PI'),
    other: of('OA'),
    correction: of('CR'),
    ungrouped: isAdjusted ? of(null) : (not_covered_cents ?? 0),
    unexplained: charge === null || paid === null ? null : charge - paid - adjusted,
  };
}

/** Returns the currency; X12 and NCPDP use dollars only, FHIR may name another one. */
function currencyOf(payload: unknown): string {
  const payment = isJsonObject(payload) && isJsonObject(payload['payment']) ? payload['payment'] : {};
  const { currency } = payment;
  return typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : 'USD';
}

/** Formats hundredths as a decimal string: `75.70`. */
export function decimal(cents: number): string {
  const whole = Math.floor(Math.abs(cents) / 100);
  return `${cents < 0 ? '-' : ''}${whole}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;
}

/** Formats an amount for readers: $1,234.50 or EUR 1,234.50. */
export function amountInWords(cents: number, currency: string): string {
  const [whole = '0', fraction = '00'] = decimal(Math.abs(cents)).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${cents < 0 ? '-' : ''}${currency === 'USD' ? '$' : `${currency} `}${grouped}.${fraction}`;
}

/** Returns the sentences about money; '' if the event states no amounts. */
export function moneyInWords(money: Money, say: Say): string {
  const amount = (cents: number): { amount: string } => ({ amount: amountInWords(cents, money.currency) });
  const { charge, paid, memberOwes, writtenOff, payerReduction, other, correction, ungrouped, unexplained } = money;
  if (charge === null && paid === null && memberOwes === null) return '';
  return together(
    charge !== null && say('billed', amount(charge)),
    paid !== null && say('plan_paid', amount(paid)),
    writtenOff !== 0 && say('provider_writes_off', amount(writtenOff)),
    payerReduction !== 0 && say('payer_reduction', amount(payerReduction)),
    other !== 0 && say('other_adjustment', amount(other)),
    correction !== 0 && say('correction', amount(correction)),
    ungrouped !== 0 && say('no_group', amount(ungrouped)),
    memberOwes !== null && memberOwes !== 0 && say('member_owes', amount(memberOwes)),
    memberOwes === 0 && ungrouped === 0 && unexplained === 0 && say('member_owes_nothing'),
    unexplained !== null && unexplained > 0 && say('money_gap', amount(unexplained)),
    unexplained !== null && unexplained < 0 && say('money_over', amount(-unexplained)),
  );
}
