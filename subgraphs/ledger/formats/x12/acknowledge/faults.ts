import type { ItemOutcome, Position, RefusedItem, TransactionItem } from '../../format-adapter.js';
import { byCode } from '../../values/codes.js';

/** IK304 8: the segment has element errors. */
const SEGMENT_HAS_ERRORS = '8';
/** IK304 7: out of order; 2: not expected here; I9: a segment that depends on this one is missing. 8 for all others. */
const SEGMENT_CODES = byCode({
  '7': 'LOOP_ORDER LX_MISSING',
  '2': 'STATUS_ABOVE_PATIENT',
  I9: 'STATUS_MISSING MEMBER_MISSING',
});
/** IK403 by 005010X231: 1 missing, 3 too many, 6 character, 8 date, I12 pattern, I9 dependent; 7, code, for all others. */
const ELEMENT_CODES = byCode({
  '1': 'ELEMENT_MISSING',
  '3': 'TERMINATOR_LOST',
  '6': 'AMOUNT_MALFORMED',
  '8': 'DATE_MALFORMED DATE_UNREADABLE',
  I12: 'COMPOSITE_BROKEN LINE_UNBALANCED CLAIM_UNBALANCED',
  I9: 'SVD_WITHOUT_PAYER',
});
const OTHER_ELEMENT = '7';

/** The element of a fault if its item names none. */
const IMPLIED_ELEMENT: Readonly<Record<string, number>> = { LINE_UNBALANCED: 3, CLAIM_UNBALANCED: 4 };

interface Placed {
  code: string;
  agreedBy?: string;
  segment?: string;
  element?: number;
  position?: Position;
}

/** A fault with its position in a 999. */
interface SegmentFault {
  segment: string;
  position: number;
  code: string;
  element: number;
  elementCode: string;
}

/** Segments around a transaction, which a 999 cannot place. */
const AROUND: ReadonlySet<string> = new Set(['ISA', 'GS', 'GE', 'IEA', 'TA1', 'SE']);
/** Faults of the whole transaction (IK502) and cut bodies, which concern no single segment. */
const UNPLACED: ReadonlySet<string> = new Set(['CLAIM_CUT', 'EVENT_CUT', 'ANSWER_CUT', 'REMITTANCE_UNBALANCED']);

/** Places a fault in its transaction; null if it concerns no segment. */
function placeFault({ code, segment = '', element, position }: Placed): SegmentFault | null {
  const at = position?.transactionPosition ?? 0;
  if (at === 0 || UNPLACED.has(code) || AROUND.has(segment) || !/^[A-Z][A-Z0-9]{1,2}$/.test(segment)) return null;
  const own = SEGMENT_CODES.get(code);
  const number = own === undefined && code !== 'TRANSACTION_REFUSED' ? (element ?? IMPLIED_ELEMENT[code] ?? 0) : 0;
  // 8 means that elements are at fault; without a named element the segment is only "not expected".
  const segmentCode = own ?? (number > 0 ? SEGMENT_HAS_ERRORS : '2');
  const elementCode = ELEMENT_CODES.get(code) ?? OTHER_ELEMENT;
  return { segment, position: at, code: segmentCode, element: number, elementCode };
}

/** Warnings about what the service does not do, which are no fault of the sender. */
const NO_FAULTS: ReadonlySet<string> = new Set(['DOCUMENT_NOT_STORED']);

/** IK502: errors of the whole transaction. */
export const TRANSACTION_ERRORS: Readonly<Record<string, string>> = {
  UNSUPPORTED_TRANSACTION: '1',
  SE_MISSING: '2',
  CONTROL_NUMBER_MISMATCH: '3',
  SEGMENT_COUNT_MISMATCH: '4',
};
export const SEGMENTS_IN_ERROR = '5';

/** AK905: errors of the group. */
export const GROUP_ERRORS: Readonly<Record<string, string>> = {
  GE_MISSING: '3',
  CONTROL_NUMBER_MISMATCH: '4',
  GROUP_COUNT_MISMATCH: '5',
};

/** Rejected bytes between transactions. */
export const CONTENT_INVALID = 'CONTENT_INVALID';
/** TA105: errors of the interchange, the most severe first. */
export const INTERCHANGE_NOTES = byCode({
  '023': 'IEA_MISSING',
  '001': 'CONTROL_NUMBER_MISMATCH',
  '021': 'INTERCHANGE_COUNT_MISMATCH',
  '024': 'STRICT_LIMIT CONTENT_INVALID',
  '022': 'ISA_WIDTHS ISA_UNTERMINATED GROUP_MISSING TRAILER_WITHOUT_HEADER SEGMENT_OUTSIDE_TRANSACTION',
});
export const DUPLICATE_NOTE = '025';

/** Faults listed for one transaction; senders do not act on more. */
const FAULTS_OF_ONE = 50;
/** IK502 to IK506. */
const ERRORS_LIMIT = 5;

/** The AK2 loop of one transaction. */
export interface TransactionAnswer {
  setId: string;
  control: string;
  implementation: string;
  faults: SegmentFault[];
  status: 'A' | 'E' | 'R';
  errors: string[];
}

/** Collects the faults of one transaction. */
export class TransactionFaults {
  #faults: SegmentFault[] = [];
  #errors = new Set<string>();
  #accepted = 0;
  #lost = 0;
  readonly #limit: number;

  /** `limit`: how many faults may still be listed. */
  constructor(limit: number) {
    this.#limit = Math.min(limit, FAULTS_OF_ONE);
  }

  /** Adds a warning, a rejection or an exception of the transaction. */
  add(placed: Placed): void {
    if (NO_FAULTS.has(placed.code) || placed.agreedBy !== undefined) return;
    const error = Object.hasOwn(TRANSACTION_ERRORS, placed.code) ? TRANSACTION_ERRORS[placed.code] : undefined;
    this.#errors.add(error ?? SEGMENTS_IN_ERROR);
    if (error !== undefined) return;
    const fault = placeFault(placed);
    if (fault === null || this.#faults.length >= this.#limit) return;
    const isKnown = this.#faults.some(
      (known) => known.position === fault.position && known.element === fault.element && known.code === fault.code,
    );
    if (!isKnown) this.#faults.push(fault);
  }

  event(placed: Placed, outcome: ItemOutcome | undefined): void {
    if (outcome?.status !== 'REJECTED') {
      this.#accepted += 1;
      return;
    }
    this.#lost += 1;
    this.add(placed);
  }

  refused(item: RefusedItem): void {
    this.#lost += 1;
    this.add(item);
  }

  /** IK501: rejected if nothing was accepted of it or of a cut one; accepted with errors if it has faults. */
  finish(item: TransactionItem): TransactionAnswer {
    for (const warning of item.warnings) this.add(warning);
    const { set_id: setId = item.transaction, implementation = '' } = item.header ?? {};
    const nothing = this.#accepted === 0 && (this.#lost > 0 || !item.complete);
    return {
      setId,
      control: item.controlNumbers['transaction'] ?? '',
      implementation,
      faults: this.#faults.sort((a, b) => a.position - b.position || a.element - b.element),
      status: nothing ? 'R' : this.#errors.size > 0 ? 'E' : 'A',
      errors: [...this.#errors].slice(0, ERRORS_LIMIT),
    };
  }
}
