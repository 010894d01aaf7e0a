import type { Composites } from '../composites.js';
import { parseDate, parsePeriod } from '../dates.js';
import { breakItem, breakRunOn, warnOfElement } from '../item-state.js';
import { decimalAmount } from '../money.js';
import { type Segment, segmentKey } from '../segment.js';
import type { ClaimStatus, Status } from './status-state.js';

type StatusReader = (claim: ClaimStatus, segment: Segment, composites: Composites) => void;

/** Elements of an STC that hold a code of its status. */
const statusElements = [1, 10, 11];

/** Reads an STC of any level; amounts that are none are warned of. */
export function readStatus(claim: ClaimStatus, segment: Segment, composites: Composites): Status {
  const codes: Status['codes'] = [];
  for (const element of statusElements) {
    const value = segment.value(element);
    if (value === '') continue;
    const [category = '', code = '', entity = ''] = composites.split(value);
    codes.push({ category, code, entity });
  }
  return {
    codes,
    date: parseDate(segment.value(2)) ?? '',
    action: segment.value(3),
    charge: amountOf(claim, segment, 4),
    paid: amountOf(claim, segment, 5),
    note: segment.value(12),
  };
}

function amountOf(claim: ClaimStatus, segment: Segment, element: number): string {
  const text = segment.value(element);
  const amount = text === '' ? '' : decimalAmount(text);
  if (amount !== null) return amount;
  warnOfElement(claim, segment, 'AMOUNT_MALFORMED', 'an amount is not a number of cents', element);
  return '';
}

function readStc(claim: ClaimStatus, segment: Segment, composites: Composites): void {
  const status = readStatus(claim, segment, composites);
  if (status.codes.length === 0) breakItem(claim, segment, 'ELEMENT_MISSING', 'the status has no code', 1);
  if (claim.line !== null) claim.line.statuses.push(status);
  else if (claim.references.length > 0 || claim.period !== null) {
    // A claim's own statuses stand before its references: the TRN of the next claim was lost.
    breakItem(claim, segment, 'LOOP_ORDER', 'a status follows the references of a claim: a TRN is missing');
  } else claim.statuses.push(status);
}

function readRef(claim: ClaimStatus, segment: Segment): void {
  breakRunOn(claim, segment);
  const qualifier = segment.value(1);
  const value = segment.value(2);
  if (value === '') return;
  if (claim.line !== null) {
    if (qualifier === 'FJ' || qualifier === '6R') claim.line.controlNumber = value;
  } else claim.references.push({ qualifier, value });
}

/** DTP: the days of service (472); of a claim also its statement's (232). A 277CA gives the day of receipt too (050). */
function readDtp(claim: ClaimStatus, segment: Segment): void {
  const qualifier = segment.value(1);
  if (qualifier !== '472' && qualifier !== '232') return;
  const period = parsePeriod(segment.value(2), segment.value(3));
  if (period === null) warnOfElement(claim, segment, 'DATE_MALFORMED', 'a date cannot be read', 3);
  else if (claim.line !== null) claim.line.period = period;
  else claim.period = period;
}

function readSvc(claim: ClaimStatus, segment: Segment, composites: Composites): void {
  const [qualifier = '', code = '', ...rest] = composites.split(segment.value(1));
  const isRevenue = qualifier === 'NU';
  claim.line = {
    qualifier,
    procedureCode: isRevenue ? '' : code.trim(),
    modifiers: rest.slice(0, 4).filter((modifier) => modifier !== ''),
    revenueCode: isRevenue ? code : segment.value(4),
    charge: amountOf(claim, segment, 2),
    paid: amountOf(claim, segment, 3),
    quantity: segment.value(7),
    controlNumber: '',
    period: null,
    statuses: [],
  };
  claim.lines.push(claim.line);
}

/** The segments of a claim's status that are read, by id. */
export const statusSegments: ReadonlyMap<number, StatusReader> = new Map(
  Object.entries({ STC: readStc, REF: readRef, DTP: readDtp, SVC: readSvc } satisfies Record<string, StatusReader>).map(
    ([id, read]) => [segmentKey(id), read],
  ),
);
