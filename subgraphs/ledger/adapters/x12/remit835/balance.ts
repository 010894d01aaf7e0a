import type { Position } from '../../adapter.js';
import { sumCents } from '../adjustments.js';
import { formatCents } from '../money.js';
import type { RemitClaim } from './remit-state.js';

/** A provider-level adjustment (PLB): money that belongs to no claim. */
export interface ProviderAdjustment {
  provider: string;
  fiscalPeriodEnd: string;
  reason: string;
  reference: string;
  cents: number;
}

/** Where amounts differ, and by how much. */
interface Difference {
  segment_number: number;
  difference: string;
}

const examples = 10;

function tellFirst(first: Difference[], { segmentNumber }: Position, cents: number): void {
  if (first.length < examples) first.push({ segment_number: segmentNumber, difference: formatCents(cents) });
}

/** The sums of a remittance while it is read. BigInt: a transaction may hold more claims than a safe integer bears. */
export class RemitBalance {
  readonly providerAdjustments: ProviderAdjustment[] = [];
  private claimsPaid = 0n;
  private claims = 0;
  private unreadable = 0;
  private unbalancedClaims = 0;
  private unbalancedLines = 0;
  private claimsDifference = 0n;
  private linesDifference = 0n;
  private readonly first: Difference[] = [];
  private readonly firstLines: Difference[] = [];

  /** Checks a claim and its lines, and warns with the difference: SVC02 − ΣCAS = SVC03; CLP03 − ΣCAS = CLP04. */
  addClaim(claim: RemitClaim): void {
    this.claims += 1;
    this.claimsPaid += BigInt(claim.paidCents);
    let adjusted = sumCents(claim.adjustments);
    for (const line of claim.lines) {
      const lineAdjusted = sumCents(line.adjustments);
      adjusted += lineAdjusted;
      const difference = line.chargeCents - lineAdjusted - line.paidCents;
      if (difference === 0) continue;
      this.unbalancedLines += 1;
      this.linesDifference += BigInt(difference);
      tellFirst(this.firstLines, line.position, difference);
      const message = `SVC02 less its adjustments differs from SVC03 by ${formatCents(difference)}`;
      claim.warnings.push({ code: 'LINE_UNBALANCED', message, segment: 'SVC', position: line.position });
    }
    const difference = claim.chargeCents - adjusted - claim.paidCents;
    if (difference === 0) return;
    this.unbalancedClaims += 1;
    this.claimsDifference += BigInt(difference);
    tellFirst(this.first, claim.position, difference);
    const message = `CLP03 less all adjustments differs from CLP04 by ${formatCents(difference)}`;
    claim.warnings.push({ code: 'CLAIM_UNBALANCED', message, segment: 'CLP', position: claim.position });
  }

  /** A claim that cannot be read leaves the payment's own sum unknown. */
  addUnreadable(): void {
    this.unreadable += 1;
  }

  /** What the transaction's item says; `balanced` is null when the payment cannot be judged. */
  summary(paymentCents: number | null): Record<string, unknown> & { balanced: boolean | null } {
    const providerTotal = this.providerAdjustments.reduce((sum, { cents }) => sum + BigInt(cents), 0n);
    const difference = paymentCents === null ? null : BigInt(paymentCents) - (this.claimsPaid - providerTotal);
    const judged = difference !== null && this.unreadable === 0;
    const inner = this.unbalancedClaims === 0 && this.unbalancedLines === 0;
    return {
      balanced: judged ? difference === 0n && inner : inner ? null : false,
      claims: this.claims,
      claims_paid: formatCents(this.claimsPaid),
      provider_adjustments: formatCents(providerTotal),
      ...(judged && { payment_difference: formatCents(difference) }),
      unreadable_claims: this.unreadable,
      unbalanced_claims: this.unbalancedClaims,
      ...(this.first.length > 0 && { claims_difference: formatCents(this.claimsDifference), first: this.first }),
      unbalanced_lines: this.unbalancedLines,
      ...(this.firstLines.length > 0 && {
        lines_difference: formatCents(this.linesDifference),
        first_lines: this.firstLines,
      }),
    };
  }
}
