import { readAdjustments } from '../adjustments.js';
import type { Composites } from '../composites.js';
import { parseMoment, parsePeriod } from '../dates.js';
import { readHealthCodes } from '../health-codes.js';
import { breakItem, warnOfElement } from '../item-state.js';
import { decimalAmount, parseCents } from '../money.js';
import { hasRunOn, partyOf } from '../parties.js';
import { type Segment, segmentKey } from '../segment.js';
import type { ClaimState } from './claim-state.js';

export type ClaimSegmentReader = (claim: ClaimState, segment: Segment, composites: Composites) => void;

/** An amount of the claim, in cents; a malformed one breaks the claim. */
export function claimCents(claim: ClaimState, segment: Segment, element: number): number | null {
  const text = segment.value(element);
  if (text === '') return null;
  const cents = parseCents(text);
  if (cents === null) breakItem(claim, segment, 'AMOUNT_MALFORMED', 'an amount is not a number of cents', element);
  return cents;
}

const dates = {
  service: segmentKey('472'),
  statement: segmentKey('434'),
  admission: segmentKey('435'),
  discharge: segmentKey('096'),
};

/** DTP: the line's service date (472), the statement's period (434), admission (435), discharge (096). */
function readDtp(claim: ClaimState, segment: Segment): void {
  const qualifier = segment.qualifier(1);
  if (
    qualifier !== dates.service &&
    qualifier !== dates.statement &&
    qualifier !== dates.admission &&
    qualifier !== dates.discharge
  )
    return;
  const format = segment.value(2);
  const value = segment.value(3);
  if (qualifier === dates.admission || qualifier === dates.discharge) {
    if (format === 'TM') return;
    const moment = parseMoment(format, value);
    if (moment === null) warnOfElement(claim, segment, 'DATE_MALFORMED', 'a date cannot be read', 3);
    else if (qualifier === dates.admission) claim.admission = moment;
    else claim.discharge = moment;
    return;
  }
  const period = parsePeriod(format, value);
  if (period === null) warnOfElement(claim, segment, 'DATE_MALFORMED', 'a date cannot be read', 3);
  else if (qualifier === dates.service && claim.line !== null) claim.line.period = period;
  else claim.statement = period;
}

const lineControl = segmentKey('6R');
const keptReferences: ReadonlySet<number> = new Set(['G1', '9F', 'F8', 'D9', 'EA'].map(segmentKey));

function readRef(claim: ClaimState, segment: Segment): void {
  const qualifier = segment.qualifier(1);
  if (qualifier === lineControl && claim.line !== null) claim.line.controlNumber = segment.value(2);
  // References of another payer (2330B) are that payer's numbers.
  if (!keptReferences.has(qualifier) || claim.otherPayer !== null || claim.otherLine !== null) return;
  // So are those whose REF04 names a payer (2U).
  if (segment.at(4).startsWith('2U')) return;
  claim.references.push({ qualifier: segment.value(1), value: segment.value(2), line: claim.line?.number ?? null });
}

function readNte(claim: ClaimState, segment: Segment): void {
  const note = segment.value(2);
  if (note !== '') claim.notes.push(note);
}

function readPwk(claim: ClaimState, segment: Segment): void {
  const [reportType, transmission, controlNumber] = [segment.value(1), segment.value(2), segment.value(6)];
  claim.attachments.push({ reportType, transmission, controlNumber, line: claim.line?.number ?? null });
}

function readAmt(claim: ClaimState, segment: Segment): void {
  const qualifier = segment.value(1);
  const amount = segment.value(2);
  if (amount === '' || claim.line !== null) return;
  const decimal = decimalAmount(amount);
  if (decimal === null) warnOfElement(claim, segment, 'AMOUNT_MALFORMED', 'an amount is not a number of cents', 2);
  else if (claim.otherPayer !== null && qualifier === 'D') claim.otherPayer.paidCents = parseCents(amount);
  else if (claim.otherPayer === null && qualifier === 'F5') claim.patientPaid = decimal;
}

/** SBR inside a claim opens another payer's loop (2320). */
function readOtherSbr(claim: ClaimState, segment: Segment): void {
  const [responsibility, filingCode] = [segment.value(1), segment.value(9)];
  claim.otherPayer = {
    responsibility,
    filingCode,
    payer: null,
    insured: null,
    paidCents: null,
    adjustments: [],
    lines: [],
  };
  claim.otherPayers.push(claim.otherPayer);
  claim.party = null;
}

/** NM1 inside a claim: its providers, or the other payer's insured and the other payer. */
function readClaimNm1(claim: ClaimState, segment: Segment): void {
  if (hasRunOn(segment)) {
    breakItem(claim, segment, 'TERMINATOR_LOST', 'NM1 goes on after its id: a terminator is missing', 10);
    return;
  }
  const party = partyOf(segment);
  claim.party = party;
  if (claim.line !== null) {
    if (claim.otherLine === null && party.role !== '') claim.line.providers.push(party);
    return;
  }
  if (claim.otherPayer === null) {
    if (party.role !== '') claim.providers.push(party);
    return;
  }
  if (party.entity === 'IL') claim.otherPayer.insured = party;
  else if (party.entity === 'PR') claim.otherPayer.payer = party;
}

/** CAS in an 837 is always another payer's: of its line decision when one is open, else of its claim decision. */
function readOtherCas(claim: ClaimState, segment: Segment): void {
  const adjustments = readAdjustments(segment);
  if (typeof adjustments === 'number') {
    warnOfElement(claim, segment, 'AMOUNT_MALFORMED', 'an amount is not a number of cents', adjustments);
  } else if (claim.otherLine !== null) claim.otherLine.adjustments.push(...adjustments);
  else if (claim.otherPayer !== null) claim.otherPayer.adjustments.push(...adjustments);
}

/** SVD: what another payer paid for this line; SVD01 names the payer. */
function readSvd(claim: ClaimState, segment: Segment, composites: Composites): void {
  const paid = decimalAmount(segment.value(2));
  if (paid === null) warnOfElement(claim, segment, 'AMOUNT_MALFORMED', 'an amount is not a number of cents', 2);
  const payerId = segment.value(1);
  const procedureCode = composites.split(segment.value(3))[1] ?? '';
  claim.otherLine = { payerId, line: claim.line?.number ?? 0, paid: paid ?? '', procedureCode, adjustments: [] };
  const owner = claim.otherPayers.find(({ payer }) => payer?.id === payerId) ?? claim.otherPayers[0];
  if (owner === undefined)
    warnOfElement(claim, segment, 'SVD_WITHOUT_PAYER', 'no other payer was named for this decision', 1);
  else owner.lines.push(claim.otherLine);
}

/** The segments of a claim that are read, by id. */
export const claimSegments: readonly [number, ClaimSegmentReader][] = Object.entries({
  HI: readHealthCodes,
  DTP: readDtp,
  REF: readRef,
  NTE: readNte,
  PWK: readPwk,
  AMT: readAmt,
  SBR: readOtherSbr,
  NM1: readClaimNm1,
  CAS: readOtherCas,
  SVD: readSvd,
} satisfies Record<string, ClaimSegmentReader>).map(([id, read]) => [segmentKey(id), read]);
