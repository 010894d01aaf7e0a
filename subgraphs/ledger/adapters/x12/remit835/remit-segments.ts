import { readAdjustments } from '../adjustments.js';
import type { Composites } from '../composites.js';
import { parseDate } from '../dates.js';
import { breakItem } from '../item-state.js';
import { parseCents } from '../money.js';
import { hasRunOn, partyOf } from '../parties.js';
import { type Segment, segmentKey } from '../segment.js';
import { positionOf } from '../transaction-context.js';
import type { RemitClaim } from './remit-state.js';

export type RemitSegmentReader = (claim: RemitClaim, segment: Segment, composites: Composites) => void;

const amountMessage = 'an amount is missing or not a number of cents';

/** An amount the outcome stands on, in cents; a malformed one breaks the claim payment. */
export function remitCents(claim: RemitClaim, segment: Segment, element: number, whenEmpty: number | null): number {
  const text = segment.value(element);
  const cents = text === '' ? whenEmpty : parseCents(text);
  if (cents === null) breakItem(claim, segment, 'AMOUNT_MALFORMED', amountMessage, element);
  return cents ?? 0;
}

function readNm1(claim: RemitClaim, segment: Segment): void {
  if (hasRunOn(segment))
    breakItem(claim, segment, 'TERMINATOR_LOST', 'NM1 goes on after its id: a terminator is missing', 10);
  const party = partyOf(segment);
  if (party.entity === 'QC') {
    // A second patient, or one after a service, means that a CLP was lost: nothing after it is this claim's.
    if (claim.patient !== null || claim.line !== null)
      breakItem(claim, segment, 'LOOP_ORDER', 'the claim payment names another patient: a CLP is missing', 1);
    else claim.patient = party;
  } else if (party.entity === 'IL') claim.insured = party;
  else if (party.entity === '74') claim.corrected = party;
  else if (party.entity === '82') claim.rendering = party;
}

function readCas(claim: RemitClaim, segment: Segment): void {
  const adjustments = readAdjustments(segment);
  if (typeof adjustments === 'number') breakItem(claim, segment, 'AMOUNT_MALFORMED', amountMessage, adjustments);
  else (claim.line ?? claim).adjustments.push(...adjustments);
}

function readSvc(claim: RemitClaim, segment: Segment, composites: Composites): void {
  const [qualifier = '', code = '', ...rest] = composites.split(segment.value(1));
  const submitted = composites.split(segment.value(6));
  const submittedCode = submitted[1] ?? '';
  if (qualifier !== '' && code === '') {
    const message = 'the service has a qualifier and no code: its composite is broken, the elements stand as sent';
    claim.warnings.push({
      code: 'COMPOSITE_BROKEN',
      message,
      segment: 'SVC',
      element: 1,
      position: positionOf(segment),
    });
  }
  // NU: the code is a revenue code, not a procedure.
  const isRevenue = qualifier === 'NU';
  claim.line = {
    number: claim.lines.length + 1,
    qualifier,
    procedureCode: isRevenue ? '' : code.trim(),
    modifiers: rest.slice(0, 4).filter((modifier) => modifier !== ''),
    submittedCode: submittedCode === code ? '' : submittedCode,
    revenueCode: isRevenue ? code : segment.value(4),
    chargeCents: remitCents(claim, segment, 2, 0),
    paidCents: remitCents(claim, segment, 3, 0),
    quantity: segment.value(5),
    from: '',
    to: '',
    controlNumber: '',
    policies: [],
    authorizations: [],
    adjustments: [],
    remarks: [],
    position: positionOf(segment),
  };
  claim.lines.push(claim.line);
}

/** DTM: 232 and 233 of the claim, 472 or 150 and 151 of the line. */
function readDtm(claim: RemitClaim, segment: Segment): void {
  const qualifier = segment.at(1);
  const { line } = claim;
  const known =
    line === null
      ? qualifier === '232' || qualifier === '233'
      : qualifier === '472' || qualifier === '150' || qualifier === '151';
  if (!known) return;
  const date = parseDate(segment.value(2));
  if (date === null) {
    const message = 'a date cannot be read';
    claim.warnings.push({ code: 'DATE_MALFORMED', message, segment: 'DTM', element: 2, position: positionOf(segment) });
  } else if (line === null) {
    if (qualifier === '232') claim.period.from = date;
    else claim.period.to = date;
  } else {
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

/** LQ: remark codes (HE), and NCPDP reject codes (RX), which are not remark codes. */
function readLq(claim: RemitClaim, segment: Segment): void {
  const qualifier = segment.at(1);
  const code = segment.value(2);
  if (code === '') return;
  if (qualifier === 'HE') (claim.line ?? claim).remarks.push(code);
  else if (qualifier === 'RX') claim.rejectCodes.push(code);
}

/** MOA03 to 07: remark codes of an outpatient claim. */
function readMoa(claim: RemitClaim, segment: Segment): void {
  pushRemarks(claim, segment, [3, 4, 5, 6, 7]);
}

/** MIA05 and 20 to 23: remark codes of an inpatient claim. */
function readMia(claim: RemitClaim, segment: Segment): void {
  pushRemarks(claim, segment, [5, 20, 21, 22, 23]);
}

function pushRemarks(claim: RemitClaim, segment: Segment, elements: readonly number[]): void {
  for (const element of elements) {
    const code = segment.value(element);
    if (code !== '') claim.remarks.push(code);
  }
}

/** The segments of a claim payment that are read, by id. */
export const remitSegments: ReadonlyMap<number, RemitSegmentReader> = new Map(
  Object.entries({
    NM1: readNm1,
    CAS: readCas,
    SVC: readSvc,
    DTM: readDtm,
    REF: readRef,
    LQ: readLq,
    MOA: readMoa,
    MIA: readMia,
  } satisfies Record<string, RemitSegmentReader>).map(([id, read]) => [segmentKey(id), read]),
);
