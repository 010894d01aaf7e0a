import { setBounded } from '../../values/payload.js';
import type { Segment } from '../envelope/segment.js';
import type { Party } from '../parties.js';

/** The subscriber of loop 2000B, who owns the claims that follow. */
class Subscriber {
  party: Party | null = null;
  payer: Party | null = null;
  responsibility = '';
  relationship = '';
  groupNumber = '';
  filingCode = '';
  readonly hlId: string;

  constructor(hlId: string) {
    this.hlId = hlId;
  }
}

export interface ClaimOwner {
  readonly subscriber: Subscriber | null;
  readonly patient: Party | null;
  readonly patientRelationship: string;
}

/** Subscribers kept for patients that may follow. Guides need one; the limit keeps other orders in constant memory. */
const REMEMBERED_SUBSCRIBERS = 1000;

/**
 * The hierarchy above the claims (HL 20 billing provider, 22 subscriber, 23 patient). It finds the owner of the next
 * claim. If the hierarchy is unclear, the claim has no owner: a wrong member is worse than none.
 */
export class SubscriberLoops {
  billing: Party | null = null;
  /** The party that the next N4, DMG or PRV describes. */
  current: Party | null = null;
  #level = '';
  #subscriber: Subscriber | null = null;
  #latest: Subscriber | null = null;
  #patient: Party | null = null;
  #patientRelationship = '';
  #trusted = true;
  readonly #known = new Map<string, Subscriber>();

  open(segment: Segment): void {
    this.#level = segment.value(3);
    this.current = null;
    this.#patient = null;
    this.#patientRelationship = '';
    this.#trusted = true;
    this.#subscriber = null;
    if (this.#level === '20') this.billing = null;
    else if (this.#level === '22') this.#openSubscriber(segment.value(1), segment.value(4) !== '0');
    else if (this.#level === '23') this.#subscriber = this.#parentOf(segment.value(2));
  }

  /** Reads SBR; false if it is outside a subscriber level. */
  sbr(segment: Segment): boolean {
    if (this.#level !== '22') return false;
    if (this.#subscriber === null) return true;
    this.#subscriber.responsibility = segment.value(1);
    this.#subscriber.relationship = segment.value(2);
    this.#subscriber.groupNumber = segment.value(3);
    this.#subscriber.filingCode = segment.value(9);
    return true;
  }

  pat(segment: Segment): void {
    if (this.#level === '23') this.#patientRelationship = segment.value(1);
  }

  /** Takes a party; false for a patient outside a patient level. */
  party(party: Party): boolean {
    this.current = party;
    const { entity } = party;
    if (entity === 'QC' && this.#level !== '23') return false;
    this.#readParty(entity, party);
    return true;
  }

  #readParty(entity: string, party: Party): void {
    if (entity === '85') this.billing = party;
    else if (entity === 'QC') this.#patient = party;
    else if (this.#level !== '22' || this.#subscriber === null) return;
    else if (entity === 'PR') this.#subscriber.payer = party;
    else if (entity === 'IL') {
      // A second, different insured under one HL means that an HL between them was lost.
      if (this.#subscriber.party !== null && this.#subscriber.party.id !== party.id) this.lose();
      else this.#subscriber.party = party;
    }
  }

  /** A segment was lost: claims have no owner until the next HL. */
  distrust(): void {
    this.#trusted = false;
    this.current = null;
  }

  /** The HL of another subscriber or patient was lost: what follows up to the next HL describes neither. */
  lose(): void {
    this.distrust();
    this.#subscriber = null;
    this.#patient = null;
  }

  forClaim(): ClaimOwner {
    if (!this.#trusted) return { subscriber: null, patient: null, patientRelationship: '' };
    const patientRelationship = this.#patientRelationship;
    return { subscriber: this.#subscriber, patient: this.#patient, patientRelationship };
  }

  /** The subscriber that a patient's HL02 names: usually the latest. */
  #parentOf(hlId: string): Subscriber | null {
    const last = this.#latest;
    return last !== null && last.hlId === hlId ? last : (this.#known.get(hlId) ?? null);
  }

  #openSubscriber(hlId: string, mayHavePatients: boolean): void {
    this.#subscriber = new Subscriber(hlId);
    this.#latest = this.#subscriber;
    // A repeated HL id names only the later subscriber.
    this.#known.delete(hlId);
    if (mayHavePatients) setBounded(this.#known, hlId, this.#subscriber, REMEMBERED_SUBSCRIBERS);
  }
}
