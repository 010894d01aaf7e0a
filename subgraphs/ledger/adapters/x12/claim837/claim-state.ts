import type { Adjustment } from '../adjustments.js';
import type { Period } from '../dates.js';
import type { HealthCodeOwner } from '../health-codes.js';
import type { Party } from '../parties.js';

/** The subscriber of loop 2000B: whose claims follow. */
export interface Subscriber {
  hlId: string;
  party: Party | null;
  payer: Party | null;
  responsibility: string;
  relationship: string;
  groupNumber: string;
  filingCode: string;
}

/** The decision of another payer (loops 2320, 2330 and, by line, 2430). Never this payer's. */
export interface OtherPayer {
  responsibility: string;
  filingCode: string;
  payer: Party | null;
  insured: Party | null;
  paidCents: number | null;
  adjustments: Adjustment[];
  lines: OtherPayerLine[];
}

export interface OtherPayerLine {
  payerId: string;
  line: number;
  paid: string;
  procedureCode: string;
  adjustments: Adjustment[];
}

export interface ServiceLine {
  number: number;
  /** SV1, SV2 or SV3 as professional, institutional or dental; '' until one came. */
  kind: '' | ClaimKind;
  qualifier: string;
  procedureCode: string;
  modifiers: string[];
  description: string;
  chargeCents: number | null;
  unit: string;
  quantity: string;
  revenueCode: string;
  place: string;
  pointers: string[];
  period: Period | null;
  drugCode: string;
  drugQuantity: string;
  drugUnit: string;
  controlNumber: string;
  providers: Party[];
}

export type ClaimKind = 'professional' | 'institutional' | 'dental';

export interface Attachment {
  reportType: string;
  transmission: string;
  controlNumber: string;
  line: number | null;
}

/** One claim while its segments come: from CLM to the next CLM, HL or trailer. */
export interface ClaimState extends HealthCodeOwner {
  claimId: string;
  chargeCents: number;
  place: string;
  placeQualifier: string;
  frequency: string;
  predetermination: boolean;
  subscriber: Subscriber | null;
  patient: Party | null;
  patientRelationship: string;
  statement: Period | null;
  admission: string;
  discharge: string;
  patientPaid: string;
  references: { qualifier: string; value: string; line: number | null }[];
  notes: string[];
  attachments: Attachment[];
  providers: Party[];
  lines: ServiceLine[];
  line: ServiceLine | null;
  otherPayers: OtherPayer[];
  otherPayer: OtherPayer | null;
  otherLine: OtherPayerLine | null;
  /** Whom an N4, DMG or PRV speaks of. */
  party: Party | null;
}

export function newLine(number: number): ServiceLine {
  return {
    number,
    kind: '',
    qualifier: '',
    procedureCode: '',
    modifiers: [],
    description: '',
    chargeCents: null,
    unit: '',
    quantity: '',
    revenueCode: '',
    place: '',
    pointers: [],
    period: null,
    drugCode: '',
    drugQuantity: '',
    drugUnit: '',
    controlNumber: '',
    providers: [],
  };
}

/** BHT: when the transaction was made. */
export interface ClaimHeader {
  date: string;
  time: string;
  purpose: string;
  type: string;
}
