import type { Position } from '../adapter.js';

/** IK304 and IK403 of a fault: what is wrong with the segment, and with the element where one is named. */
export interface FaultCodes {
  segment: string;
  element: string;
}

/** IK304 8: the segment has element errors. IK403 follows 005010X231: 1 missing, 6 character, 7 code, 8 date, I12 pattern. */
const segmentHasErrors = '8';
const codesOf: Readonly<Record<string, FaultCodes>> = {
  ELEMENT_MISSING: { segment: segmentHasErrors, element: '1' },
  AMOUNT_MALFORMED: { segment: segmentHasErrors, element: '6' },
  STATUS_UNKNOWN: { segment: segmentHasErrors, element: '7' },
  CODE_UNKNOWN: { segment: segmentHasErrors, element: '7' },
  DATE_MALFORMED: { segment: segmentHasErrors, element: '8' },
  COMPOSITE_BROKEN: { segment: segmentHasErrors, element: 'I12' },
  TERMINATOR_LOST: { segment: segmentHasErrors, element: '3' },
  LINE_UNBALANCED: { segment: segmentHasErrors, element: 'I12' },
  CLAIM_UNBALANCED: { segment: segmentHasErrors, element: 'I12' },
  // 7: out of order; 2: not expected here; I9: a segment that depends on this one is missing.
  LOOP_ORDER: { segment: '7', element: '' },
  LX_MISSING: { segment: '7', element: '' },
  SVD_WITHOUT_PAYER: { segment: segmentHasErrors, element: 'I9' },
  STATUS_ABOVE_PATIENT: { segment: '2', element: '' },
  STATUS_MISSING: { segment: 'I9', element: '' },
  MEMBER_MISSING: { segment: 'I9', element: '' },
  TRANSACTION_REFUSED: { segment: segmentHasErrors, element: '' },
};
const otherwise: FaultCodes = { segment: segmentHasErrors, element: '7' };

/** Elements of faults whose message names one and whose item does not. */
const impliedElement: Readonly<Record<string, number>> = { LINE_UNBALANCED: 3, CLAIM_UNBALANCED: 4 };

export interface Placed {
  code: string;
  segment?: string;
  element?: number;
  position?: Position;
}

/** A fault as a 999 places it. */
export interface SegmentFault {
  segment: string;
  position: number;
  code: string;
  element: number;
  elementCode: string;
}

/** Segments around a transaction: a 999 places nothing there. */
const around: ReadonlySet<string> = new Set(['ISA', 'GS', 'GE', 'IEA', 'TA1', 'SE']);
/** Faults of the transaction as a whole, which IK502 names; and bodies that end, where no segment is at fault. */
const unplaced: ReadonlySet<string> = new Set(['CLAIM_CUT', 'EVENT_CUT', 'ANSWER_CUT', 'REMITTANCE_UNBALANCED']);

/** Where a fault stands in its transaction; null when no segment of it can be named. */
export function placeFault({ code, segment = '', element, position }: Placed): SegmentFault | null {
  const at = position?.transactionPosition ?? 0;
  if (at === 0 || unplaced.has(code) || around.has(segment) || !/^[A-Z][A-Z0-9]{1,2}$/.test(segment)) return null;
  const codes = Object.hasOwn(codesOf, code) ? (codesOf[code] ?? otherwise) : otherwise;
  const number = element ?? impliedElement[code] ?? 0;
  const named = number > 0 && codes.element !== '';
  // 8 says that elements are at fault: without one to name, the segment is only "not expected".
  const segmentCode = codes.segment === segmentHasErrors && !named ? '2' : codes.segment;
  return {
    segment,
    position: at,
    code: segmentCode,
    element: named && segmentCode === segmentHasErrors ? number : 0,
    elementCode: codes.element,
  };
}

/** IK502: what is wrong with the transaction as a whole. */
export const transactionErrors: Readonly<Record<string, string>> = {
  UNSUPPORTED_TRANSACTION: '1',
  SE_MISSING: '2',
  CONTROL_NUMBER_MISMATCH: '3',
  SEGMENT_COUNT_MISMATCH: '4',
};
export const segmentsInError = '5';

/** AK905: what is wrong with the group. */
export const groupErrors: Readonly<Record<string, string>> = {
  GE_MISSING: '3',
  CONTROL_NUMBER_MISMATCH: '4',
  GROUP_COUNT_MISMATCH: '5',
};

/** TA105: what is wrong with the interchange, the gravest first. */
/** Refused bytes between transactions. */
export const contentInvalid = 'CONTENT_INVALID';
export const interchangeNotes: readonly (readonly [string, string])[] = [
  ['IEA_MISSING', '023'],
  ['CONTROL_NUMBER_MISMATCH', '001'],
  ['INTERCHANGE_COUNT_MISMATCH', '021'],
  ['STRICT_LIMIT', '024'],
  [contentInvalid, '024'],
  ['ISA_WIDTHS', '022'],
  ['ISA_UNTERMINATED', '022'],
  ['GROUP_MISSING', '022'],
  ['TRAILER_WITHOUT_HEADER', '022'],
  ['SEGMENT_OUTSIDE_TRANSACTION', '022'],
];
export const duplicateNote = '025';
