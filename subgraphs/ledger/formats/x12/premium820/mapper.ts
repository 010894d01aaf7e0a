import { jurisdictionOf } from '../../values/codes.js';
import { type EffectiveTime, effectiveTime } from '../../values/dates.js';
import { compact } from '../../values/payload.js';
import { References } from '../elements.js';
import { positionOf, type Segment, segmentKey, segmentKeys } from '../envelope/segment.js';
import { AMOUNT_MALFORMED, nameRunOn, numberRunOn, type Refusal } from '../item.js';
import { ItemMapper, type MappedItem } from '../item-mapper.js';
import { describeMember, identifiersOf, memberNumberOf, partyOf, readPartyDetail } from '../parties.js';
import { PaymentHeader } from '../payment-header.js';
import { amountOf, Payer, PREMIUM_SEGMENTS, Premium, premiumOutcome, REF_ELEMENTS } from './premium.js';

const ENT = segmentKey('ENT');
const RMR = segmentKey('RMR');
const NM1 = segmentKey('NM1');
const REF = segmentKey('REF');
const DTM = segmentKey('DTM');
const BPR = segmentKey('BPR');
/** Segments that occur only inside a premium, once an ENT precedes them. */
const PREMIUM_ONLY = segmentKeys('DTM ADX');
/** RMR01 of a policy or contract, and of an invoice. */
const POLICY_QUALIFIERS: ReadonlySet<string> = new Set(['AZ', 'IG', '1L', 'B7', 'CT', '11']);
const INVOICE_QUALIFIER = 'IK';
/** ENT03 of an employee number, which only the employer knows. */
const EMPLOYEE_QUALIFIER = 'EI';

/** Maps an 820: one event per premium (RMR). */
export class Premium820Mapper extends ItemMapper<Premium> {
  protected readonly facts = {
    family: 'premium',
    noun: 'premium',
    opener: 'RMR',
    cut: 'EVENT_CUT',
    none: { code: 'NO_PREMIUMS', message: 'the transaction has no premium' },
    date: {
      code: 'DATE_MISSING',
      message: 'neither BPR16 nor DTM*097 has a date: the time of receipt is used',
      segment: 'BPR',
      element: 16,
    },
    lacks: 'no NM1 gives the person of the premium a number of the plan',
  } as const;
  readonly #payment = new PaymentHeader();
  readonly #references = new References();
  /** DTM*097, CCYYMMDD. */
  #createdOn = '';
  #payer: Payer | null = null;

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === ENT) {
      this.close();
      this.#payer = new Payer(segment);
    } else if (key === RMR) {
      this.close();
      this.open(new Premium(segment, this.#payer), segment);
    } else if (this.item !== null) this.#inside(this.item, segment);
    else if (this.#payer !== null) this.#aboutPayer(this.#payer, segment);
    else this.#header(segment);
  }

  override summary(): { transaction: string; detail: Record<string, unknown> } {
    return { transaction: '820', detail: { payment: this.#payment.describe() } };
  }

  /** The lost segment may have been an ENT or NM1. */
  protected override distrust(): void {
    if (this.#payer !== null) this.#payer.trusted = false;
  }

  protected override time(): EffectiveTime {
    const sources = [
      { date: this.#payment.date, time: '', dateName: 'BPR16' },
      { date: this.#createdOn, time: '', dateName: 'DTM02 (097)' },
    ];
    return effectiveTime(sources, this.context.options);
  }

  protected name(): string {
    return '820';
  }

  protected map(premium: Premium): MappedItem {
    const { payer, number, references, paidCents, billedCents } = premium;
    const person = payer?.trusted ? payer.person : null;
    const memberId = memberNumberOf(person);
    const numbered = (...qualifiers: string[]): string | undefined =>
      [references, payer?.references, this.#references].flatMap((each) => each?.first(...qualifiers) ?? [])[0];
    const payload = compact({
      policy_number: POLICY_QUALIFIERS.has(number.qualifier) ? number.value : numbered('POL', '38'),
      group_number: numbered('1L', '38'),
      invoice_number: number.qualifier === INVOICE_QUALIFIER ? number.value : undefined,
      remittance_reference: compact({ ...number }),
      employee_number: payer?.idQualifier === EMPLOYEE_QUALIFIER ? payer.id : undefined,
      amounts: compact({ paid: amountOf(paidCents), billed: amountOf(billedCents) }),
      adjustments: premium.adjustments,
      coverage_period: premium.period,
      jurisdiction: jurisdictionOf(person, this.#payment.payer, this.#payment.payee),
      patient: person && describeMember(person, memberId),
      identifiers: identifiersOf(person),
      payment: this.#payment.describe(),
    });
    const outcome = premiumOutcome(premium);
    const type = outcome === 'reversed' ? 'premium_reversed' : 'premium_paid';
    return { type, outcome, id: number.value, memberId, payload };
  }

  #inside(premium: Premium, segment: Segment): void {
    if (segment.key === NM1) {
      // NM1 precedes the premiums of a person: the ENT of another was lost.
      premium.break(segment, 'LOOP_ORDER', 'another person is named inside a premium: an ENT is missing', 1);
      this.distrust();
    } else PREMIUM_SEGMENTS.get(segment.key)?.(premium, segment, this.composites);
  }

  #aboutPayer(payer: Payer, segment: Segment): void {
    const { key } = segment;
    if (key === NM1) {
      if (this.#report(nameRunOn(segment))) return;
      // A second person: the ENT between them was lost.
      if (payer.person !== null) payer.trusted = false;
      payer.person = partyOf(segment);
    } else if (key === REF) {
      if (!this.#report(numberRunOn(segment, REF_ELEMENTS))) payer.references.read(segment);
    } else if (PREMIUM_ONLY.has(key)) this.reportOrphan(segment);
    else if (payer.person !== null) readPartyDetail(payer.person, segment);
  }

  #header(segment: Segment): void {
    const { key } = segment;
    if (this.#payment.read(segment)) {
      if (key !== BPR || this.#payment.cents !== null) return;
      const [code, message] = AMOUNT_MALFORMED;
      this.context.warn({ code, message, segment: 'BPR', element: 2, position: positionOf(segment) });
    } else if (key === REF) this.#references.read(segment);
    else if (key === DTM && segment.at(1) === '097') this.#createdOn = segment.value(2);
    else if (key === NM1) this.reportOrphan(segment);
  }

  #report(fault: Refusal | null): boolean {
    if (fault !== null) this.damaged(fault);
    return fault !== null;
  }
}
