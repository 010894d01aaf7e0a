import type { Party } from '../parties.js';
import type { Segment } from '../segment.js';
import type { Subscriber } from './claim-state.js';

/** Subscribers whose patients may still come. A guide's order needs one; files in other orders stay in constant memory. */
const rememberedSubscribers = 1000;

/**
 * The hierarchy above the claims (HL 20 billing provider, 22 subscriber, 23 patient). It answers one question: whose
 * claim is the next one. Where the hierarchy does not say, the answer is nobody: a member is never borrowed.
 */
export class SubscriberLoops {
  billing: Party | null = null;
  /** Whom an N4, DMG or PRV speaks of. */
  current: Party | null = null;
  private level = '';
  private subscriber: Subscriber | null = null;
  private latest: Subscriber | null = null;
  private patient: Party | null = null;
  private patientRelationship = '';
  private trusted = true;
  private readonly known = new Map<string, Subscriber>();

  open(segment: Segment): void {
    this.level = segment.value(3);
    this.current = null;
    this.patient = null;
    this.patientRelationship = '';
    this.trusted = true;
    if (this.level === '20') {
      this.billing = null;
      this.subscriber = null;
    } else if (this.level === '22') this.openSubscriber(segment.value(1), segment.value(4) !== '0');
    else if (this.level === '23') this.subscriber = this.parentOf(segment.value(2));
    else this.subscriber = null;
  }

  sbr(segment: Segment): void {
    if (this.level !== '22' || this.subscriber === null) return;
    this.subscriber.responsibility = segment.value(1);
    this.subscriber.relationship = segment.value(2);
    this.subscriber.groupNumber = segment.value(3);
    this.subscriber.filingCode = segment.value(9);
  }

  pat(segment: Segment): void {
    if (this.level === '23') this.patientRelationship = segment.value(1);
  }

  party(party: Party): void {
    this.current = party;
    const { entity } = party;
    if (entity === '85') this.billing = party;
    else if (entity === 'QC' && this.level === '23') this.patient = party;
    else if (this.level !== '22' || this.subscriber === null) return;
    else if (entity === 'PR') this.subscriber.payer = party;
    else if (entity === 'IL') {
      // A second, different insured under one HL means that an HL between them was lost.
      if (this.subscriber.party !== null && this.subscriber.party.id !== party.id) this.trusted = false;
      this.subscriber.party = party;
    }
  }

  /** Something was lost: until the next HL no claim is anybody's. */
  distrust(): void {
    this.trusted = false;
    this.current = null;
  }

  forClaim(): { subscriber: Subscriber | null; patient: Party | null; patientRelationship: string } {
    if (!this.trusted) return { subscriber: null, patient: null, patientRelationship: '' };
    const { subscriber, patient, patientRelationship } = this;
    return { subscriber, patient, patientRelationship };
  }

  /** The subscriber that a patient's HL02 names: the last one, mostly. */
  private parentOf(hlId: string): Subscriber | null {
    const last = this.latest;
    return last !== null && last.hlId === hlId ? last : (this.known.get(hlId) ?? null);
  }

  private openSubscriber(hlId: string, mayHavePatients: boolean): void {
    const base = { party: null, payer: null, responsibility: '', relationship: '', groupNumber: '', filingCode: '' };
    this.subscriber = { hlId, ...base };
    this.latest = this.subscriber;
    // An HL id used again names the later subscriber alone.
    this.known.delete(hlId);
    if (!mayHavePatients) return;
    this.known.set(hlId, this.subscriber);
    if (this.known.size > rememberedSubscribers) {
      const [oldest] = this.known.keys();
      if (oldest !== undefined) this.known.delete(oldest);
    }
  }
}
