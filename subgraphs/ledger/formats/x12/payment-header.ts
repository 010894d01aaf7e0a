import { formatCents, parseCents } from '../values/money.js';
import { compact } from '../values/payload.js';
import { type Segment, segmentKey } from './envelope/segment.js';
import { describeOrganization, organizationOf, type Party, readPartyDetail } from './parties.js';

const BPR = segmentKey('BPR');
const TRN = segmentKey('TRN');
const N1 = segmentKey('N1');
const N4 = segmentKey('N4');

/** The payment of an 835 or 820, before its details; the same on each of its events. */
export class PaymentHeader {
  handling = '';
  /** BPR02; null if missing or malformed. */
  cents: number | null = null;
  method = '';
  /** BPR16, CCYYMMDD. */
  date = '';
  traceNumber = '';
  payer: Party | null = null;
  payee: Party | null = null;
  /** The party that the next N4 describes. */
  #party: Party | null = null;

  /** Reads BPR, TRN, N1 and N4; false if the segment is another. */
  read(segment: Segment): boolean {
    switch (segment.key) {
      case BPR:
        this.#readBpr(segment);
        return true;
      case TRN:
        this.traceNumber = segment.value(2);
        return true;
      case N1:
        this.#readParty(organizationOf(segment));
        return true;
      case N4:
        if (this.#party !== null) readPartyDetail(this.#party, segment);
        return true;
      default:
        return false;
    }
  }

  describe(): Record<string, unknown> {
    return compact({
      amount: this.cents === null ? undefined : formatCents(this.cents),
      handling: this.handling,
      method: this.method,
      trace_number: this.traceNumber,
      payer: this.payer === null ? undefined : describeOrganization(this.payer),
      payee: this.payee === null ? undefined : describeOrganization(this.payee),
    });
  }

  #readBpr(segment: Segment): void {
    this.handling = segment.value(1);
    this.cents = parseCents(segment.value(2));
    this.method = segment.value(4);
    this.date = segment.value(16);
  }

  #readParty(party: Party): void {
    this.#party = party;
    if (party.entity === 'PR') this.payer = party;
    else if (party.entity === 'PE') this.payee = party;
  }
}
