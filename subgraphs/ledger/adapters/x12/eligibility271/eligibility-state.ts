import type { Period } from '../dates.js';
import type { Level } from '../hierarchy.js';
import type { ItemState } from '../item-state.js';

/** EB: one benefit, with the words and references of its loop (2110). */
export interface Benefit {
  information: string;
  coverageLevel: string;
  serviceTypes: string[];
  insuranceType: string;
  plan: string;
  timePeriod: string;
  amount: string;
  percent: string;
  quantityQualifier: string;
  quantity: string;
  authorizationRequired: string;
  inNetwork: string;
  procedureCode: string;
  notes: string[];
}

export interface Rejection {
  valid: string;
  reason: string;
  followUp: string;
}

/** What is told of one subscriber or dependent: from its HL to the next. */
export interface Eligibility extends ItemState {
  level: Level;
  traces: string[];
  rejections: Rejection[];
  references: { qualifier: string; value: string }[];
  dates: Map<string, Period>;
  relationship: string;
  benefits: Benefit[];
  benefit: Benefit | null;
  /** Between LS and LE: parties there are the benefit's, not the patient. */
  inParties: boolean;
}

export interface EligibilityHeader {
  reference: string;
  date: string;
  time: string;
}
