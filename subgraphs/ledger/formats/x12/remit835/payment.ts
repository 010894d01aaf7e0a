import type { Position } from '../../format-adapter.js';
import { type Period, parseDate } from '../../values/dates.js';
import { decimalAmount, parseCents } from '../../values/money.js';
import { type Adjustment, type Composites, readAdjustments, readPaidService } from '../elements.js';
import { bySegment, positionOf, type Segment } from '../envelope/segment.js';
import { Item } from '../item.js';
import type { SegmentReader } from '../item-mapper.js';
import { type Party, partyOf } from '../parties.js';

const AMOUNT_MESSAGE = 'an amount is missing or not a number of cents';

/** One service of a claim payment (2110). */
class PaidLine {
  /** SVC06-2 if different: the code billed before the payer changed it. */
  submittedCode = '';
  from = '';
  to = '';
  controlNumber = '';
  readonly policies: string[] = [];
  readonly authorizations: string[] = [];
  readonly adjustments: Adjustment[] = [];
  readonly remarks: string[] = [];
  constructor(
    readonly service: ReturnType<typeof readPaidService>,
    readonly chargeCents: number,
    readonly paidCents: number,
    readonly quantity: string,
    readonly position: Position,
  ) {}
}

/** One claim payment (2100) while it is read. */
export class RemitClaim extends Item {
  /** CLP. */
  readonly head: ReturnType<typeof readClp>;
  readonly chargeCents: number;
  readonly paidCents: number;
  patient: Party | null = null;
  insured: Party | null = null;
  corrected: Party | null = null;
  rendering: Party | null = null;
  readonly adjustments: Adjustment[] = [];
  readonly remarks: string[] = [];
  readonly rejectCodes: string[] = [];
  readonly authorizations: string[] = [];
  readonly period: Partial<Period> = {};
  readonly lines: PaidLine[] = [];
  line: PaidLine | null = null;

  constructor(segment: Segment, composites: Composites) {
    super(segment);
    this.head = readClp(segment, composites);
    if (this.head.claimId === '') this.break(segment, 'ELEMENT_MISSING', 'the claim payment has no claim id', 1);
    this.chargeCents = this.cents(segment, 3, null);
    this.paidCents = this.cents(segment, 4, null);
  }

  /** An amount that decides the outcome, in cents; a malformed amount breaks the claim payment. */
  cents(segment: Segment, element: number, whenEmpty: number | null): number {
    const text = segment.value(element);
    const cents = text === '' ? whenEmpty : parseCents(text);
    if (cents === null) this.break(segment, 'AMOUNT_MALFORMED', AMOUNT_MESSAGE, element);
    return cents ?? 0;
  }
}

const readClp = (segment: Segment, composites: Composites) => ({
  claimId: segment.value(1),
  statusCode: segment.value(2),
  memberShare: decimalAmount(segment.value(5)) ?? '',
  filingCode: segment.value(6),
  payerClaimId: segment.value(7),
  facilityCode: composites.split(segment.value(8))[0] ?? '',
  frequency: segment.value(9),
});

function readNm1(claim: RemitClaim, segment: Segment): void {
  claim.breakNameRunOn(segment);
  const party = partyOf(segment);
  if (party.entity === 'QC') {
    // A second patient, or one after a service, means that a CLP was lost: what follows belongs to another claim.
    if (claim.patient !== null || claim.line !== null)
      claim.break(segment, 'LOOP_ORDER', 'the claim payment names another patient: a CLP is missing', 1);
    else claim.patient = party;
  } else if (party.entity === 'IL') claim.insured = party;
  else if (party.entity === '74') claim.corrected = party;
  else if (party.entity === '82') claim.rendering = party;
}

function readCas(claim: RemitClaim, segment: Segment): void {
  const adjustments = readAdjustments(segment);
  if (typeof adjustments === 'number') claim.break(segment, 'AMOUNT_MALFORMED', AMOUNT_MESSAGE, adjustments);
  else (claim.line ?? claim).adjustments.push(...adjustments);
}

function readSvc(claim: RemitClaim, segment: Segment, composites: Composites): void {
  const service = readPaidService(segment, composites);
  const [charge, paid] = [claim.cents(segment, 2, 0), claim.cents(segment, 3, 0)];
  const line = new PaidLine(service, charge, paid, segment.value(5), positionOf(segment));
  const { qualifier, code } = service;
  const submittedCode = composites.split(segment.value(6))[1] ?? '';
  if (qualifier !== '' && code === '') {
    const message = 'the service has a qualifier and no code: its composite is broken, the elements are kept as sent';
    claim.warn(segment, 'COMPOSITE_BROKEN', message, 1);
  }
  if (submittedCode !== code) line.submittedCode = submittedCode;
  claim.line = line;
  claim.lines.push(line);
}

/** DTM: 232 and 233 of the claim, 472 or 150 and 151 of the line. */
function readDtm(claim: RemitClaim, segment: Segment): void {
  const qualifier = segment.at(1);
  const { line } = claim;
  if (!(line === null ? ['232', '233'] : ['472', '150', '151']).includes(qualifier)) return;
  const date = parseDate(segment.value(2));
  if (date === null) claim.warnOfDate(segment, 2);
  else if (line === null) claim.period[qualifier === '232' ? 'from' : 'to'] = date;
  else {
    if (qualifier !== '151') line.from = date;
    if (qualifier !== '150') line.to = date;
  }
}

function readRef(claim: RemitClaim, segment: Segment): void {
  const qualifier = segment.at(1);
  const value = segment.value(2);
  if (qualifier === 'G1') (claim.line ?? claim).authorizations.push(value);
  else if (claim.line === null) return;
  else if (qualifier === '6R') claim.line.controlNumber = value;
  else if (qualifier === '0K') claim.line.policies.push(value);
}

/** LQ: remark codes (HE) and NCPDP reject codes (RX). */
function readLq(claim: RemitClaim, segment: Segment): void {
  const qualifier = segment.at(1);
  const code = segment.value(2);
  if (code === '') return;
  if (qualifier === 'HE') (claim.line ?? claim).remarks.push(code);
  else if (qualifier === 'RX') claim.rejectCodes.push(code);
}

const readRemarks =
  (...elements: readonly number[]): SegmentReader<RemitClaim> =>
  (claim, segment) => {
    for (const element of elements) {
      const code = segment.value(element);
      if (code !== '') claim.remarks.push(code);
    }
  };

/** The segments of a claim payment that are read, by id. */
export const REMIT_SEGMENTS = bySegment<SegmentReader<RemitClaim>>({
  NM1: readNm1,
  CAS: readCas,
  SVC: readSvc,
  DTM: readDtm,
  REF: readRef,
  LQ: readLq,
  // Remark codes of an outpatient and of an inpatient claim.
  MOA: readRemarks(3, 4, 5, 6, 7),
  MIA: readRemarks(5, 20, 21, 22, 23),
});
