import type { Position } from '../../adapter.js';
import { stateOf } from '../codes.js';
import { Composites } from '../composites.js';
import { breakItem } from '../item-state.js';
import { decimalAmount, parseCents } from '../money.js';
import { organizationOf, type Party } from '../parties.js';
import { type Segment, segmentKey } from '../segment.js';
import {
  positionOf,
  type Refusal,
  type TransactionContext,
  type TransactionEnd,
  type TransactionMapper,
} from '../transaction-context.js';
import { RemitBalance } from './balance.js';
import { describePayment, emitRemit, type PaymentFacts, paymentFacts } from './emit-remit.js';
import { describeProviderAdjustments, readPlb } from './provider-adjustments.js';
import { remitCents, remitSegments } from './remit-segments.js';
import type { Payment, RemitClaim } from './remit-state.js';

const clp = segmentKey('CLP');
const bpr = segmentKey('BPR');
const trn = segmentKey('TRN');
const dtm = segmentKey('DTM');
const n1 = segmentKey('N1');
const n4 = segmentKey('N4');
const plb = segmentKey('PLB');
/** What stands nowhere but in a claim payment. */
const claimOnly: ReadonlySet<number> = new Set(['SVC', 'CAS', 'NM1', 'MOA', 'MIA'].map(segmentKey));
/** What ends a claim payment beside the next one. */
const closing: ReadonlySet<number> = new Set(['LX', 'PLB', 'TS3', 'TS2'].map(segmentKey));

/** Maps an 835: one event a CLP, and the balance of the whole. */
export class Remit835Mapper implements TransactionMapper {
  private readonly context: TransactionContext;
  private readonly composites: Composites;
  private readonly balance = new RemitBalance();
  private readonly payment: Payment = {
    handling: '',
    cents: null,
    method: '',
    date: '',
    productionDate: '',
    traceNumber: '',
    payer: null,
    payee: null,
  };
  /** Of `payment` as it stands; null once a segment outside of the claims has come. */
  private facts: PaymentFacts | null = null;
  private paymentPosition: Position | null = null;
  private party: Party | null = null;
  private claim: RemitClaim | null = null;
  private claims = 0;
  private orphanReported = false;
  private balanceSummary: Record<string, unknown> = {};

  constructor(context: TransactionContext) {
    this.context = context;
    this.composites = new Composites(context);
  }

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === clp) {
      this.closeClaim();
      this.openClaim(segment);
      return;
    }
    if (closing.has(key)) this.closeClaim();
    if (this.claim !== null) remitSegments.get(key)?.(this.claim, segment, this.composites);
    else this.outsideClaim(segment);
  }

  damaged(refusal: Refusal): void {
    if (this.claim !== null) this.claim.broken ??= refusal;
    else {
      // What was lost may have been a CLP, whose payment the sums then lack.
      this.balance.addUnreadable();
      this.context.refuse(refusal);
    }
  }

  end(how: TransactionEnd, endOffset: number): void {
    if (this.claim !== null && how !== 'closed') this.judgeCutClaim(this.claim, how, endOffset);
    this.closeClaim(endOffset);
    const summary = this.balance.summary(this.payment.cents);
    this.balanceSummary = summary;
    if (this.claims === 0)
      this.context.warn({ code: 'NO_CLAIMS', message: 'the transaction holds no claim payment', segment: 'ST' });
    if (how === 'closed' && summary.balanced === false) {
      const message = 'the remittance does not balance';
      const position = this.paymentPosition ?? this.context.header.position;
      this.context.exception({
        exceptionKind: 'REMITTANCE_UNBALANCED',
        code: 'REMITTANCE_UNBALANCED',
        message,
        segment: this.paymentPosition === null ? 'ST' : 'BPR',
        position,
        detail: summary,
      });
    }
  }

  summary(): { transaction: string; detail: Record<string, unknown> } {
    const providerAdjustments = describeProviderAdjustments(this.balance.providerAdjustments);
    return {
      transaction: '835',
      detail: {
        payment: describePayment(this.payment),
        balance: this.balanceSummary,
        provider_adjustments: providerAdjustments,
      },
    };
  }

  private openClaim(segment: Segment): void {
    this.claims += 1;
    this.orphanReported = false;
    this.context.openPart(segment.byteOffset);
    const share = segment.value(5);
    const claim: RemitClaim = {
      ordinal: this.claims,
      position: positionOf(segment),
      claimId: segment.value(1),
      statusCode: segment.value(2),
      chargeCents: 0,
      paidCents: 0,
      memberShare: share === '' ? '' : (decimalAmount(share) ?? ''),
      filingCode: segment.value(6),
      payerClaimId: segment.value(7),
      facilityCode: this.composites.split(segment.value(8))[0] ?? '',
      frequency: segment.value(9),
      patient: null,
      insured: null,
      corrected: null,
      rendering: null,
      adjustments: [],
      remarks: [],
      rejectCodes: [],
      authorizations: [],
      period: {},
      lines: [],
      line: null,
      warnings: [],
      broken: null,
    };
    if (claim.claimId === '') breakItem(claim, segment, 'ELEMENT_MISSING', 'the claim payment has no claim id', 1);
    claim.chargeCents = remitCents(claim, segment, 3, null);
    claim.paidCents = remitCents(claim, segment, 4, null);
    this.claim = claim;
  }

  private outsideClaim(segment: Segment): void {
    const { key } = segment;
    this.facts = null;
    if (claimOnly.has(key)) this.reportOrphan(segment);
    else if (key === n1) {
      this.party = organizationOf(segment);
      if (this.party.entity === 'PR') this.payment.payer = this.party;
      else if (this.party.entity === 'PE') this.payment.payee = this.party;
    } else if (key === n4) {
      if (this.party !== null) this.party.state = stateOf(segment.value(2), segment.value(4));
    } else if (key === bpr) this.readBpr(segment);
    else if (key === trn) this.payment.traceNumber = segment.value(2);
    else if (key === dtm) {
      if (segment.at(1) === '405') this.payment.productionDate = segment.value(2);
    } else if (key === plb) this.readPlb(segment);
  }

  /** A claim payment's own segments without its CLP: the payment has been lost, and is told of once. */
  private reportOrphan(segment: Segment): void {
    if (this.orphanReported) return;
    this.orphanReported = true;
    this.balance.addUnreadable();
    const message = 'a segment of a claim payment stands outside one: a CLP is missing';
    this.context.refuse({ code: 'LOOP_ORDER', message, segment: segment.id, position: positionOf(segment) });
  }

  private readBpr(segment: Segment): void {
    this.paymentPosition = positionOf(segment);
    this.payment.handling = segment.value(1);
    this.payment.cents = parseCents(segment.value(2));
    this.payment.method = segment.value(4);
    this.payment.date = segment.value(16);
    if (this.payment.cents === null) this.warnOf(segment, 2);
  }

  private readPlb(segment: Segment): void {
    const malformed = readPlb(segment, this.composites, this.balance.providerAdjustments);
    if (malformed === null) return;
    this.balance.addUnreadable();
    this.warnOf(segment, malformed);
  }

  private warnOf(segment: Segment, element: number): void {
    const message = 'an amount is missing or not a number of cents';
    this.context.warn({
      code: 'AMOUNT_MALFORMED',
      message,
      segment: segment.id,
      element,
      position: positionOf(segment),
    });
  }

  private closeClaim(endOffset = this.context.previousEnd()): void {
    const { claim, context } = this;
    if (claim === null) return;
    this.claim = null;
    const part = context.closePart(endOffset);
    if (claim.broken !== null) {
      this.balance.addUnreadable();
      context.refuse(claim.broken, part);
      return;
    }
    this.balance.addClaim(claim);
    this.facts ??= paymentFacts(this.payment, context);
    emitRemit(claim, part, this.facts, context);
  }

  /** The body ended inside this claim payment: it is taken only when nothing of it was cut and its money adds up. */
  private judgeCutClaim(claim: RemitClaim, how: TransactionEnd, endOffset: number): void {
    let adjusted = 0;
    for (const { cents } of claim.adjustments) adjusted += cents;
    let charged = 0;
    for (const line of claim.lines) {
      charged += line.chargeCents;
      for (const { cents } of line.adjustments) adjusted += cents;
    }
    const whole =
      claim.chargeCents - adjusted === claim.paidCents && (claim.lines.length === 0 || charged === claim.chargeCents);
    if (how === 'cut' || !whole || claim.patient === null) {
      claim.broken ??= {
        code: 'CLAIM_CUT',
        message: `the body ends inside the claim payment, after byte ${endOffset}`,
        segment: 'CLP',
        position: claim.position,
      };
      return;
    }
    claim.warnings.push({
      code: 'TRANSACTION_CUT',
      message: 'the body ends after this claim payment, without a trailer',
    });
  }
}
