import type { Position } from '../../format-adapter.js';
import { jurisdictionOf, programOf } from '../../values/codes.js';
import { type EffectiveTime, effectiveTime, type Period, spanOf } from '../../values/dates.js';
import { formatCents } from '../../values/money.js';
import { compact, filled, unique } from '../../values/payload.js';
import { describeAdjustment, reasonCodes, sumCents } from '../elements.js';
import { positionOf, type Segment, segmentKey, segmentKeys } from '../envelope/segment.js';
import type { TransactionEnd } from '../envelope/transaction-run.js';
import { ItemMapper, type MappedItem } from '../item-mapper.js';
import { describeOrganization, describePerson, personNumberOf } from '../parties.js';
import { PaymentHeader } from '../payment-header.js';
import { describeProviderAdjustments, RemitBalance, readPlb } from './balance.js';
import { remitOutcome } from './outcome.js';
import { REMIT_SEGMENTS, RemitClaim } from './payment.js';

const CLP = segmentKey('CLP');
const BPR = segmentKey('BPR');
const DTM = segmentKey('DTM');
const PLB = segmentKey('PLB');
/** Segments that occur only inside a claim payment. */
const CLAIM_ONLY = segmentKeys('SVC CAS NM1 MOA MIA');
/** Segments, besides the next CLP, that end a claim payment. */
const CLOSING = segmentKeys('LX PLB TS3 TS2');

/** The payment that a remittance explains; the same on each of its events. */
class Payment extends PaymentHeader {
  /** DTM*405, CCYYMMDD. */
  productionDate = '';
}

/** The facts that all claim payments of one payment share, computed once. */
interface PaymentFacts {
  readonly time: EffectiveTime;
  readonly jurisdiction: string;
  readonly payment: Record<string, unknown>;
}

/** Maps an 835: one event per CLP, and the balance of the whole. */
export class Remit835Mapper extends ItemMapper<RemitClaim> {
  protected readonly facts = {
    family: 'remittance',
    noun: 'claim payment',
    opener: 'CLP',
    cut: 'CLAIM_CUT',
    none: { code: 'NO_CLAIMS', message: 'the transaction has no claim payment' },
    warnsIfCut: true,
    date: {
      code: 'DATE_MISSING',
      message: 'neither BPR16 nor DTM*405 has a date: the time of receipt is used',
      segment: 'BPR',
      element: 16,
    },
    lacks: 'no NM1*QC, NM1*IL or NM1*74 of the claim payment has a member id',
  } as const;
  readonly #balance = new RemitBalance();
  readonly #payment = new Payment();
  /** Derived from the payment; null after a further segment outside the claims. */
  #paymentFacts: PaymentFacts | null = null;
  #paymentPosition: Position | null = null;
  #balanceSummary: Record<string, unknown> = {};

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === CLP) {
      this.close();
      this.open(new RemitClaim(segment, this.composites), segment);
      return;
    }
    if (CLOSING.has(key)) this.close();
    if (this.item !== null) REMIT_SEGMENTS.get(key)?.(this.item, segment, this.composites);
    else this.#outsideClaim(segment);
  }

  override end(how: TransactionEnd, endOffset: number): void {
    super.end(how, endOffset);
    const detail = this.#balance.summary(this.#payment.cents);
    this.#balanceSummary = detail;
    if (how !== 'closed' || detail.balanced !== false) return;
    const code = 'REMITTANCE_UNBALANCED';
    const segment = this.#paymentPosition === null ? 'ST' : 'BPR';
    const position = this.#paymentPosition ?? this.context.header.position;
    const message = 'the remittance does not balance';
    this.context.exception({ exceptionKind: code, code, message, segment, position, detail });
  }

  override summary(): { transaction: string; detail: Record<string, unknown> } {
    const detail = {
      payment: this.#payment.describe(),
      balance: this.#balanceSummary,
      provider_adjustments: describeProviderAdjustments(this.#balance.providerAdjustments),
    };
    return { transaction: '835', detail };
  }

  /** The lost segment may have been a CLP; then the sums lack its payment. */
  protected override distrust(): void {
    if (this.item === null) this.#balance.addUnreadable();
  }

  protected override isWhole(claim: RemitClaim): boolean {
    const { lines, chargeCents, paidCents } = claim;
    let adjusted = sumCents(claim.adjustments);
    let charged = 0;
    for (const line of lines) {
      charged += line.chargeCents;
      adjusted += sumCents(line.adjustments);
    }
    const addsUp = chargeCents - adjusted === paidCents && (lines.length === 0 || charged === chargeCents);
    return addsUp && claim.patient !== null;
  }

  protected override settle(claim: RemitClaim): boolean {
    if (claim.broken === null) this.#balance.addClaim(claim);
    else this.#balance.addUnreadable();
    return true;
  }

  protected override time(): EffectiveTime {
    return this.#sharedFacts().time;
  }

  protected name(): string {
    return '835';
  }

  protected map(claim: RemitClaim): MappedItem {
    const { head, patient, insured, corrected, chargeCents, paidCents, lines, adjustments: claimAdjustments } = claim;
    const { statusCode, claimId } = head;
    const type = statusCode === '22' ? 'reversed' : statusCode === '25' ? 'estimated' : 'adjudicated';
    const outcome = remitOutcome({ statusCode, chargeCents, paidCents, claimAdjustments, lines });
    if (outcome === null) {
      const message = 'the claim status code is unknown';
      const { position } = claim;
      claim.warnings.push({ code: 'STATUS_UNKNOWN', message, segment: 'CLP', element: 2, position });
    }
    const memberId = personNumberOf(patient) || personNumberOf(insured) || personNumberOf(corrected);
    const payload = describeRemit(claim, this.#sharedFacts());
    return { type: `claim_${type}`, outcome: outcome ?? 'unknown', id: claimId, memberId, payload };
  }

  #sharedFacts(): PaymentFacts {
    if (this.#paymentFacts !== null) return this.#paymentFacts;
    const { payee, payer, date, productionDate } = this.#payment;
    const sources = [
      { date, time: '', dateName: 'BPR16' },
      { date: productionDate, time: '', dateName: 'DTM02 (405)' },
    ];
    const time = effectiveTime(sources, this.context.options);
    this.#paymentFacts = { time, jurisdiction: jurisdictionOf(payee, payer), payment: this.#payment.describe() };
    return this.#paymentFacts;
  }

  #outsideClaim(segment: Segment): void {
    const { key } = segment;
    const payment = this.#payment;
    this.#paymentFacts = null;
    if (CLAIM_ONLY.has(key)) {
      if (this.reportOrphan(segment)) this.#balance.addUnreadable();
    } else if (payment.read(segment)) {
      if (key === BPR) this.#placePayment(segment);
    } else if (key === DTM) {
      if (segment.at(1) === '405') payment.productionDate = segment.value(2);
    } else if (key === PLB) this.#readPlb(segment);
  }

  #placePayment(segment: Segment): void {
    this.#paymentPosition = positionOf(segment);
    if (this.#payment.cents === null) this.#warnOf(segment, 2);
  }

  #readPlb(segment: Segment): void {
    const malformed = readPlb(segment, this.composites, this.#balance.providerAdjustments);
    if (malformed === null) return;
    this.#balance.addUnreadable();
    this.#warnOf(segment, malformed);
  }

  #warnOf(segment: Segment, element: number): void {
    const message = 'an amount is missing or not a number of cents';
    const position = positionOf(segment);
    this.context.warn({ code: 'AMOUNT_MALFORMED', message, segment: segment.id, element, position });
  }
}

function describeRemit(claim: RemitClaim, facts: PaymentFacts): Record<string, unknown> {
  const { head, lines, patient, insured, corrected, rendering } = claim;
  const adjustments = claim.adjustments.map((adjustment) => describeAdjustment(adjustment, 'claim'));
  lines.forEach((line, at) => {
    for (const adjustment of line.adjustments) adjustments.push(describeAdjustment(adjustment, 'line', at + 1));
  });
  return compact({
    claim_id: head.claimId,
    payer_claim_id: head.payerClaimId,
    status_code: head.statusCode,
    facility_code: head.facilityCode,
    frequency_code: head.frequency,
    procedure_codes: unique(filled(lines.map(({ service }) => service.procedureCode))),
    jurisdiction: facts.jurisdiction,
    program: programOf(head.filingCode),
    program_code: head.filingCode,
    carc: reasonCodes(ofAll(claim, ({ adjustments: own }) => own)),
    rarc: unique(ofAll(claim, ({ remarks }) => remarks)),
    reject_codes: unique(claim.rejectCodes),
    adjustments,
    amounts: compact({
      charge: formatCents(claim.chargeCents),
      paid: formatCents(claim.paidCents),
      member_share: head.memberShare,
    }),
    lines: lines.map(describeLine),
    recoded: lines.some(({ submittedCode }) => submittedCode !== '') ? true : undefined,
    service_period: periodOf(claim),
    patient: patient === null ? undefined : describePerson(patient),
    subscriber: insured === null ? undefined : describePerson(insured),
    corrected_patient: corrected === null ? undefined : describePerson(corrected),
    providers: rendering === null ? undefined : [describeOrganization(rendering, 'rendering')],
    prior_authorizations: unique(ofAll(claim, ({ authorizations }) => authorizations)),
    payment: facts.payment,
  });
}

type Line = RemitClaim['lines'][number];

/** The claim's values, then those of its lines. Plain loops, because most lists are empty and there are many. */
function ofAll<T>(claim: RemitClaim, of: (part: RemitClaim | Line) => readonly T[]): T[] {
  const all = [...of(claim)];
  for (const line of claim.lines) for (const one of of(line)) all.push(one);
  return all;
}

function describeLine(line: Line, at: number): Record<string, unknown> {
  const { service, from, to } = line;
  return compact({
    line: at + 1,
    qualifier: service.qualifier,
    procedure_code: service.procedureCode,
    modifiers: service.modifiers,
    submitted_code: line.submittedCode,
    revenue_code: service.revenueCode,
    charge: formatCents(line.chargeCents),
    paid: formatCents(line.paidCents),
    quantity: line.quantity,
    service_period: from === '' && to === '' ? undefined : { from: from || to, to: to || from },
    control_number: line.controlNumber,
    policies: line.policies,
    remarks: line.remarks,
  });
}

/** The claim's own dates (232, 233), else the first to the last day of its lines. */
function periodOf({ period, lines }: RemitClaim): Period | undefined {
  const own = period.from ?? period.to;
  if (own !== undefined) return { from: own, to: period.to ?? own };
  return spanOf(lines.flatMap(({ from, to }) => [from, to]));
}
