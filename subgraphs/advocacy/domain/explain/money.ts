import { isJsonObject } from '../../../../shared/json/strict-json.js';
import type { AdjustmentGroup, EventCodes } from '../event-codes.js';
import { type Say, together } from './say.js';

/** Who owes what, in hundredths; null where the event does not tell. */
export interface Money {
  readonly currency: string;
  readonly charge: number | null;
  readonly paid: number | null;
  /** Group PR; without amounts of adjustments what the payer says is the member's share. */
  readonly memberOwes: number | null;
  /** CO; without amounts of adjustments the discount. */
  readonly writtenOff: number;
  /** PI. */
  readonly payerReduction: number;
  /** OA. */
  readonly other: number;
  /** CR. */
  readonly correction: number;
  /** Without a group; without amounts of adjustments what is called not covered. */
  readonly ungrouped: number;
  /** Charge less what was paid and all adjustments: zero where the event balances; null where it cannot be told. */
  readonly unexplained: number | null;
}

export function moneyOf({ reasons, amounts }: EventCodes, payload: unknown): Money {
  const told = reasons.filter(({ cents }) => cents !== null);
  const of = (group: AdjustmentGroup | null): number =>
    told.filter((reason) => reason.group === group).reduce((sum, { cents }) => sum + (cents ?? 0), 0);
  const { charge_cents: charge, paid_cents: paid, member_cents, discount_cents, not_covered_cents } = amounts;
  const isAdjusted = told.length > 0;
  const adjusted = isAdjusted
    ? told.reduce((sum, { cents }) => sum + (cents ?? 0), 0)
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

/** X12 and NCPDP know dollars alone; FHIR names another currency. */
function currencyOf(payload: unknown): string {
  const payment = isJsonObject(payload) && isJsonObject(payload['payment']) ? payload['payment'] : {};
  const { currency } = payment;
  return typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : 'USD';
}

/** `75.70`, as payloads have it. */
export function decimal(cents: number): string {
  const whole = Math.floor(Math.abs(cents) / 100);
  return `${cents < 0 ? '-' : ''}${whole}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;
}

/** $1,234.50, and EUR 1,234.50. */
export function amountInWords(cents: number, currency: string): string {
  const [whole = '0', fraction = '00'] = decimal(Math.abs(cents)).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${cents < 0 ? '-' : ''}${currency === 'USD' ? '$' : `${currency} `}${grouped}.${fraction}`;
}

/** The sentences of a summary about money; '' where the event tells of none. */
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
