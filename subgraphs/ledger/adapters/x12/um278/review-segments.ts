import type { Composites } from '../composites.js';
import { parseMoment, parsePeriod } from '../dates.js';
import { readHealthCodes } from '../health-codes.js';
import { readPartyDetail } from '../hierarchy.js';
import { breakItem, breakRunOn, warnOfElement } from '../item-state.js';
import { decimalAmount } from '../money.js';
import { hasRunOn, partyOf } from '../parties.js';
import { type Segment, segmentKey } from '../segment.js';
import type { ReviewEvent, ReviewPart } from './review-state.js';

type ReviewReader = (event: ReviewEvent, part: ReviewPart, segment: Segment, composites: Composites) => void;

function readTrn(event: ReviewEvent, part: ReviewPart, segment: Segment): void {
  breakRunOn(event, segment);
  part.traces.push({ type: segment.value(1), number: segment.value(2), originator: segment.value(3) });
}

function readUm(event: ReviewEvent, part: ReviewPart, segment: Segment, composites: Composites): void {
  // A second UM in one level means that the HL between them was lost.
  if (part.review !== null) breakItem(event, segment, 'LOOP_ORDER', 'a second UM in one level: an HL is missing');
  const [place = '', placeQualifier = ''] = composites.split(segment.value(4));
  part.review = {
    category: segment.value(1),
    certification: segment.value(2),
    serviceType: segment.value(3),
    place,
    placeQualifier,
    urgency: segment.value(6),
  };
}

function readHcr(event: ReviewEvent, part: ReviewPart, segment: Segment, composites: Composites): void {
  if (part.decision !== null) breakItem(event, segment, 'LOOP_ORDER', 'a second HCR in one level: an HL is missing');
  const action = segment.value(1);
  if (action === '') breakItem(event, segment, 'ELEMENT_MISSING', 'the review has no action code', 1);
  part.decision = { action, number: segment.value(2), reasons: composites.repetitions(segment.value(3)) };
}

function readAaa(_event: ReviewEvent, part: ReviewPart, segment: Segment): void {
  part.rejections.push({ reason: segment.value(3), followUp: segment.value(4) });
}

function readRef(event: ReviewEvent, part: ReviewPart, segment: Segment): void {
  breakRunOn(event, segment);
  const value = segment.value(2);
  if (value !== '') part.references.push({ qualifier: segment.value(1), value });
}

/** DTP: service (472), admission (435), discharge (096), event (AAH), issue (102), effective (007), expiry (036). */
const readDates: ReadonlySet<number> = new Set(['472', '435', '096', 'AAH', '102', '007', '036'].map(segmentKey));

function readDtp(event: ReviewEvent, part: ReviewPart, segment: Segment): void {
  if (!readDates.has(segment.qualifier(1))) return;
  const format = segment.value(2);
  const value = segment.value(3);
  const moment = format === 'DT' ? parseMoment(format, value) : null;
  const period = moment === null ? parsePeriod(format, value) : { from: moment, to: moment };
  if (period === null) warnOfElement(event, segment, 'DATE_MALFORMED', 'a date cannot be read', 3);
  else part.dates.set(segment.value(1), period);
}

function readHi(event: ReviewEvent, _part: ReviewPart, segment: Segment, composites: Composites): void {
  readHealthCodes(event, segment, composites);
}

function readHsd(_event: ReviewEvent, part: ReviewPart, segment: Segment): void {
  part.quantityUnit = segment.value(1);
  part.quantity = segment.value(2);
}

function readMsg(_event: ReviewEvent, part: ReviewPart, segment: Segment): void {
  const text = segment.value(1);
  if (text !== '') part.notes.push(text);
}

function readPwk(_event: ReviewEvent, part: ReviewPart, segment: Segment): void {
  part.attachments.push({
    reportType: segment.value(1),
    transmission: segment.value(2),
    controlNumber: segment.value(6),
  });
}

/** NM1 under an event or service: its providers. Who the patient is stands above it. */
function readNm1(event: ReviewEvent, part: ReviewPart, segment: Segment): void {
  event.party = null;
  if (hasRunOn(segment)) {
    breakItem(event, segment, 'TERMINATOR_LOST', 'NM1 goes on after its id: a terminator is missing', 10);
    return;
  }
  const party = partyOf(segment);
  if (party.entity === 'IL' || party.entity === 'QC') {
    breakItem(event, segment, 'LOOP_ORDER', 'a patient is named inside an event: an HL is missing', 1);
    return;
  }
  event.party = party;
  part.providers.push(party.role === '' ? { ...party, role: roleOf(party.entity) } : party);
}

/** NM101 of 278 alone; the others are those of claims. */
function roleOf(entity: string): string {
  if (entity === 'SJ') return 'service';
  return entity === '1T' || entity === '1P' ? 'requester' : 'other';
}

function readSv1(event: ReviewEvent, part: ReviewPart, segment: Segment, composites: Composites): void {
  readService(event, part, segment, composites, { procedure: 1, charge: 2, units: 4 });
}

function readSv2(event: ReviewEvent, part: ReviewPart, segment: Segment, composites: Composites): void {
  part.revenueCode = segment.value(1);
  readService(event, part, segment, composites, { procedure: 2, charge: 3, units: 5 });
}

function readSv3(event: ReviewEvent, part: ReviewPart, segment: Segment, composites: Composites): void {
  readService(event, part, segment, composites, { procedure: 1, charge: 2, units: 6 });
}

function readService(
  event: ReviewEvent,
  part: ReviewPart,
  segment: Segment,
  composites: Composites,
  at: { procedure: number; charge: number; units: number },
): void {
  if (part.qualifier !== '') breakItem(event, segment, 'LOOP_ORDER', 'a second service in one level: an HL is missing');
  const [qualifier = '', code = '', ...rest] = composites.split(segment.value(at.procedure));
  part.qualifier = qualifier;
  part.procedureCode = code.trim();
  part.modifiers = rest.slice(0, 4).filter((modifier) => modifier !== '');
  part.units = segment.value(at.units);
  const charge = segment.value(at.charge);
  const amount = charge === '' ? '' : decimalAmount(charge);
  if (amount === null)
    warnOfElement(event, segment, 'AMOUNT_MALFORMED', 'an amount is not a number of cents', at.charge);
  else part.charge = amount;
}

const readers: ReadonlyMap<number, ReviewReader> = new Map(
  Object.entries({
    TRN: readTrn,
    UM: readUm,
    HCR: readHcr,
    AAA: readAaa,
    REF: readRef,
    DTP: readDtp,
    HI: readHi,
    HSD: readHsd,
    MSG: readMsg,
    PWK: readPwk,
    NM1: readNm1,
    SV1: readSv1,
    SV2: readSv2,
    SV3: readSv3,
  } satisfies Record<string, ReviewReader>).map(([id, read]) => [segmentKey(id), read]),
);

/** Reads a segment of an event or of its open service. */
export function readReviewSegment(event: ReviewEvent, segment: Segment, composites: Composites): void {
  const read = readers.get(segment.key);
  if (read !== undefined) read(event, event.service ?? event, segment, composites);
  else if (event.party !== null) readPartyDetail(event.party, segment);
}
