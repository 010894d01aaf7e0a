import type { Period } from '../dates.js';
import type { HealthCode, HealthCodeOwner } from '../health-codes.js';
import type { Level } from '../hierarchy.js';
import type { Party } from '../parties.js';

/** UM: what is asked for. */
export interface ServiceReview {
  category: string;
  certification: string;
  serviceType: string;
  place: string;
  placeQualifier: string;
  urgency: string;
}

/** HCR: what was decided. */
export interface Decision {
  action: string;
  number: string;
  reasons: string[];
}

/** AAA: why a part of the request was not looked at. */
export interface Rejection {
  reason: string;
  followUp: string;
}

export interface Trace {
  type: string;
  number: string;
  originator: string;
}

export interface ReviewAttachment {
  reportType: string;
  transmission: string;
  controlNumber: string;
}

/** What an event and each of its services may say. */
export interface ReviewPart {
  traces: Trace[];
  review: ServiceReview | null;
  decision: Decision | null;
  rejections: Rejection[];
  /** REF: qualifier and number. */
  references: { qualifier: string; value: string }[];
  dates: Map<string, Period>;
  quantity: string;
  quantityUnit: string;
  notes: string[];
  attachments: ReviewAttachment[];
  providers: Party[];
  /** SV1, SV2 or SV3. */
  qualifier: string;
  procedureCode: string;
  modifiers: string[];
  revenueCode: string;
  charge: string;
  units: string;
  diagnoses: HealthCode[];
}

/** One patient event while its segments come: an HL EV, else the patient's own HL, with the services (HL SS) under it. */
export interface ReviewEvent extends HealthCodeOwner, ReviewPart {
  level: Level | null;
  /** HL01 of the services may hang on this. */
  services: ReviewPart[];
  /** The service that the segments speak of; the event itself when null. */
  service: ReviewPart | null;
  party: Party | null;
  /** Something beside who the patient is was said. */
  hasContent: boolean;
}

/** BHT, and who asks whom. */
export interface ReviewHeader {
  purpose: string;
  reference: string;
  date: string;
  time: string;
  payer: Party | null;
  requester: Party | null;
}

export function newPart(): ReviewPart {
  return {
    traces: [],
    review: null,
    decision: null,
    rejections: [],
    references: [],
    dates: new Map(),
    quantity: '',
    quantityUnit: '',
    notes: [],
    attachments: [],
    providers: [],
    qualifier: '',
    procedureCode: '',
    modifiers: [],
    revenueCode: '',
    charge: '',
    units: '',
    diagnoses: [],
  };
}
