import type { Position } from '../../adapter.js';
import type { Adjustment } from '../adjustments.js';
import type { Period } from '../dates.js';
import type { ItemState } from '../item-state.js';
import type { Party } from '../parties.js';

/** The payment that a remittance transaction explains: the same on each of its events. */
export interface Payment {
  handling: string;
  cents: number | null;
  method: string;
  /** BPR16 and DTM*405, CCYYMMDD. */
  date: string;
  productionDate: string;
  traceNumber: string;
  payer: Party | null;
  payee: Party | null;
}

/** One service of a claim payment (2110). */
export interface PaidLine {
  number: number;
  qualifier: string;
  procedureCode: string;
  modifiers: string[];
  /** SVC06-2 where it differs: what was billed before the payer changed it. */
  submittedCode: string;
  revenueCode: string;
  chargeCents: number;
  paidCents: number;
  quantity: string;
  from: string;
  to: string;
  controlNumber: string;
  policies: string[];
  authorizations: string[];
  adjustments: Adjustment[];
  remarks: string[];
  position: Position;
}

/** One claim payment (2100) while its segments come. */
export interface RemitClaim extends ItemState {
  claimId: string;
  statusCode: string;
  chargeCents: number;
  paidCents: number;
  memberShare: string;
  filingCode: string;
  payerClaimId: string;
  facilityCode: string;
  frequency: string;
  patient: Party | null;
  insured: Party | null;
  corrected: Party | null;
  rendering: Party | null;
  adjustments: Adjustment[];
  remarks: string[];
  rejectCodes: string[];
  authorizations: string[];
  period: Partial<Period>;
  lines: PaidLine[];
  line: PaidLine | null;
}
