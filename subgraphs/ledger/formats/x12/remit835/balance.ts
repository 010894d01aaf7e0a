import type { Position } from '../../format-adapter.js';
import { parseDate } from '../../values/dates.js';
import { formatCents, parseCents } from '../../values/money.js';
import { compact } from '../../values/payload.js';
import { type Composites, sumCents } from '../elements.js';
import type { Segment } from '../envelope/segment.js';
import type { RemitClaim } from './payment.js';

/** A provider-level adjustment (PLB), which belongs to no claim. */
interface ProviderAdjustment {
  provider: string;
  fiscalPeriodEnd: string;
  reason: string;
  reference: string;
  cents: number;
}

const EXAMPLES = 10;

/** Differences between amounts: their number, their sum and the places of the first. */
class Differences {
  count = 0;
  sum = 0n;
  readonly first: { segment_number: number; difference: string }[] = [];

  /** Adds a difference and returns it as a decimal string. */
  add({ segmentNumber }: Position, cents: number): string {
    const difference = formatCents(cents);
    this.count += 1;
    this.sum += BigInt(cents);
    if (this.first.length < EXAMPLES) this.first.push({ segment_number: segmentNumber, difference });
    return difference;
  }
}

/** The running sums of a remittance. BigInt, because a transaction may hold more claims than a safe integer can sum. */
export class RemitBalance {
  readonly providerAdjustments: ProviderAdjustment[] = [];
  #claimsPaid = 0n;
  #claims = 0;
  #unreadable = 0;
  readonly #ofClaims = new Differences();
  readonly #ofLines = new Differences();

  /** Checks a claim and its lines, and warns with the difference: SVC02 − ΣCAS = SVC03; CLP03 − ΣCAS = CLP04. */
  addClaim(claim: RemitClaim): void {
    this.#claims += 1;
    this.#claimsPaid += BigInt(claim.paidCents);
    let adjusted = sumCents(claim.adjustments);
    for (const line of claim.lines) {
      const lineAdjusted = sumCents(line.adjustments);
      adjusted += lineAdjusted;
      const difference = line.chargeCents - lineAdjusted - line.paidCents;
      if (difference === 0) continue;
      const amount = this.#ofLines.add(line.position, difference);
      const message = `SVC02 less its adjustments differs from SVC03 by ${amount}`;
      claim.warnings.push({ code: 'LINE_UNBALANCED', message, segment: 'SVC', position: line.position });
    }
    const difference = claim.chargeCents - adjusted - claim.paidCents;
    if (difference === 0) return;
    const amount = this.#ofClaims.add(claim.position, difference);
    const message = `CLP03 less all adjustments differs from CLP04 by ${amount}`;
    claim.warnings.push({ code: 'CLAIM_UNBALANCED', message, segment: 'CLP', position: claim.position });
  }

  /** Counts an unreadable claim, which leaves the sum of the payment unknown. */
  addUnreadable(): void {
    this.#unreadable += 1;
  }

  /** The balance in the transaction's item; `balanced` is null if the payment cannot be checked. */
  summary(paymentCents: number | null): Record<string, unknown> & { balanced: boolean | null } {
    const providerTotal = this.providerAdjustments.reduce((sum, { cents }) => sum + BigInt(cents), 0n);
    const difference = paymentCents === null ? null : BigInt(paymentCents) - (this.#claimsPaid - providerTotal);
    const isKnown = difference !== null && this.#unreadable === 0;
    const [ofClaims, ofLines] = [this.#ofClaims, this.#ofLines];
    const inner = ofClaims.count === 0 && ofLines.count === 0;
    return {
      balanced: isKnown ? difference === 0n && inner : inner ? null : false,
      claims: this.#claims,
      claims_paid: formatCents(this.#claimsPaid),
      provider_adjustments: formatCents(providerTotal),
      ...(isKnown && { payment_difference: formatCents(difference) }),
      unreadable_claims: this.#unreadable,
      unbalanced_claims: ofClaims.count,
      ...(ofClaims.count > 0 && { claims_difference: formatCents(ofClaims.sum), first: ofClaims.first }),
      unbalanced_lines: ofLines.count,
      ...(ofLines.count > 0 && { lines_difference: formatCents(ofLines.sum), first_lines: ofLines.first }),
    };
  }
}

/** PLB03/04 to PLB13/14: up to six pairs of reason and amount. */
const FIRST_PAIR = 3;
const LAST_PAIR = 13;

/** Reads the pairs of a PLB into `into`. Returns the number of the malformed amount element, or null. */
export function readPlb(segment: Segment, composites: Composites, into: ProviderAdjustment[]): number | null {
  const provider = segment.value(1);
  const fiscalPeriodEnd = parseDate(segment.value(2)) ?? '';
  for (let at = FIRST_PAIR; at <= Math.min(segment.elementCount, LAST_PAIR); at += 2) {
    const composite = segment.value(at);
    const amount = segment.value(at + 1);
    if (composite === '' && amount === '') continue;
    const cents = parseCents(amount);
    if (cents === null) return at + 1;
    const [reason = '', reference = ''] = composites.split(composite);
    into.push({ provider, fiscalPeriodEnd, reason, reference, cents });
  }
  return null;
}

export function describeProviderAdjustments(adjustments: readonly ProviderAdjustment[]): Record<string, unknown>[] {
  return adjustments.map(({ provider, fiscalPeriodEnd, reason, reference, cents }) =>
    compact({ provider, fiscal_period_end: fiscalPeriodEnd, reason, reference, amount: formatCents(cents) }),
  );
}
