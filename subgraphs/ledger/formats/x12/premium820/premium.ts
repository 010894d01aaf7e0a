import { type Period, parsePeriod } from '../../values/dates.js';
import { formatCents, parseCents } from '../../values/money.js';
import { compact } from '../../values/payload.js';
import { References } from '../elements.js';
import { bySegment, type Segment } from '../envelope/segment.js';
import { AMOUNT_MALFORMED, Item } from '../item.js';
import type { SegmentReader } from '../item-mapper.js';
import type { Party } from '../parties.js';

/** The last element of a REF in this guide. */
export const REF_ELEMENTS = 2;
/** Adjustments of one premium; the guide has no limit. */
const ADJUSTMENTS = { count: 500, code: 'ADJUSTMENTS_LEFT_OUT' };
/** DTM01 of the coverage period. */
const COVERAGE_PERIOD = '582';

/** An organisation or person; its premiums follow (2000). */
export class Payer {
  /** ENT03 and ENT04. */
  readonly idQualifier: string;
  readonly id: string;
  readonly references = new References();
  person: Party | null = null;
  /** False if a segment of it was lost: then its premiums name no member. */
  trusted = true;

  constructor(segment: Segment) {
    this.idQualifier = segment.value(3);
    this.id = segment.value(4);
  }
}

/** One premium (2300) while it is read: from its RMR to the next RMR, ENT or trailer. */
export class Premium extends Item {
  readonly number: { readonly qualifier: string; readonly value: string };
  /** Null if RMR has no amount. */
  readonly paidCents: number | null;
  readonly billedCents: number | null;
  readonly references = new References();
  readonly adjustments: Record<string, unknown>[] = [];
  period: Period | null = null;
  #hasPeriod = false;

  constructor(
    segment: Segment,
    readonly payer: Payer | null,
  ) {
    super(segment);
    this.number = { qualifier: segment.value(1), value: segment.value(2) };
    this.paidCents = this.#cents(segment, 4);
    this.billedCents = this.#cents(segment, 5);
  }

  readPeriod(segment: Segment): void {
    if (segment.at(1) !== COVERAGE_PERIOD) return;
    // A premium has one coverage period: the RMR of the next premium was lost.
    if (this.#hasPeriod) this.break(segment, 'LOOP_ORDER', 'a second coverage period: an RMR is missing', 1);
    this.#hasPeriod = true;
    this.period = parsePeriod(segment.value(5) || 'D8', segment.value(6) || segment.value(2));
    if (this.period === null) this.warnOfDate(segment, segment.value(6) === '' ? 2 : 6);
  }

  /** The amounts decide the outcome, so a malformed one breaks the premium. */
  #cents(segment: Segment, element: number): number | null {
    const text = segment.value(element);
    const cents = text === '' ? null : parseCents(text);
    if (text !== '' && cents === null) this.break(segment, ...AMOUNT_MALFORMED, element);
    return cents;
  }
}

function readAdx(premium: Premium, segment: Segment): void {
  const adjustment = compact({ amount: premium.amount(segment, 1), reason: segment.value(2) });
  premium.keep(premium.adjustments, adjustment, segment, ADJUSTMENTS);
}

/** The segments of a premium that are read, by id. */
export const PREMIUM_SEGMENTS = bySegment<SegmentReader<Premium>>({
  REF: (premium, segment) => {
    premium.breakRunOn(segment, REF_ELEMENTS);
    premium.references.read(segment);
  },
  DTM: (premium, segment) => premium.readPeriod(segment),
  ADX: readAdx,
});

/** `paid`, `partially_paid`, `reversed` (a negative amount) or `recorded` (none, or zero). */
export function premiumOutcome({ paidCents, billedCents }: Premium): string {
  if (paidCents === null || paidCents === 0) return 'recorded';
  if (paidCents < 0) return 'reversed';
  return billedCents !== null && paidCents < billedCents ? 'partially_paid' : 'paid';
}

export const amountOf = (cents: number | null): string | undefined => (cents === null ? undefined : formatCents(cents));
