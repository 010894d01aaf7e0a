import type { Composites } from '../composites.js';
import { parsePeriod } from '../dates.js';
import { breakRunOn, warnOfElement } from '../item-state.js';
import { decimalAmount } from '../money.js';
import { type Segment, segmentKey } from '../segment.js';
import type { Eligibility } from './eligibility-state.js';

type EligibilityReader = (item: Eligibility, segment: Segment, composites: Composites) => void;

/** EB parts of one event; a roster of thousands in one patient is not one. */
const benefitsLimit = 5_000;

function readEb(item: Eligibility, segment: Segment, composites: Composites): void {
  const amount = amountOf(item, segment, 7);
  const [, procedureCode = ''] = composites.split(segment.value(13));
  item.benefit = {
    information: segment.value(1),
    coverageLevel: segment.value(2),
    serviceTypes: composites.repetitions(segment.value(3)),
    insuranceType: segment.value(4),
    plan: segment.value(5),
    timePeriod: segment.value(6),
    amount,
    percent: segment.value(8),
    quantityQualifier: segment.value(9),
    quantity: segment.value(10),
    authorizationRequired: segment.value(11),
    inNetwork: segment.value(12),
    procedureCode: procedureCode.trim(),
    notes: [],
  };
  if (item.benefits.length < benefitsLimit) item.benefits.push(item.benefit);
  else if (item.benefits.length === benefitsLimit && !item.warnings.some(({ code }) => code === 'BENEFITS_LEFT_OUT')) {
    warnOfElement(item, segment, 'BENEFITS_LEFT_OUT', `benefits after the first ${benefitsLimit} are not kept`, 1);
  }
}

function amountOf(item: Eligibility, segment: Segment, element: number): string {
  const text = segment.value(element);
  const amount = text === '' ? '' : decimalAmount(text);
  if (amount !== null) return amount;
  warnOfElement(item, segment, 'AMOUNT_MALFORMED', 'an amount is not a number of cents', element);
  return '';
}

function readTrn(item: Eligibility, segment: Segment): void {
  breakRunOn(item, segment);
  const number = segment.value(2);
  if (number !== '') item.traces.push(number);
}

function readAaa(item: Eligibility, segment: Segment): void {
  item.rejections.push({ valid: segment.value(1), reason: segment.value(3), followUp: segment.value(4) });
}

function readRef(item: Eligibility, segment: Segment): void {
  const value = segment.value(2);
  if (value !== '' && item.benefits.length === 0) item.references.push({ qualifier: segment.value(1), value });
}

function readDtp(item: Eligibility, segment: Segment): void {
  if (item.benefits.length > 0) return;
  const period = parsePeriod(segment.value(2), segment.value(3));
  if (period === null) warnOfElement(item, segment, 'DATE_MALFORMED', 'a date cannot be read', 3);
  else item.dates.set(segment.value(1), period);
}

function readIns(item: Eligibility, segment: Segment): void {
  item.relationship = segment.value(2);
}

function readMsg(item: Eligibility, segment: Segment): void {
  const text = segment.value(1);
  if (text !== '') item.benefit?.notes.push(text);
}

/** The segments of a subscriber or dependent that are read, by id. */
export const eligibilitySegments: ReadonlyMap<number, EligibilityReader> = new Map(
  Object.entries({
    EB: readEb,
    TRN: readTrn,
    AAA: readAaa,
    REF: readRef,
    DTP: readDtp,
    INS: readIns,
    MSG: readMsg,
  } satisfies Record<string, EligibilityReader>).map(([id, read]) => [segmentKey(id), read]),
);
