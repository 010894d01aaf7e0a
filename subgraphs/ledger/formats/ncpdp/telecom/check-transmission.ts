import type { Refusal } from '../../emit.js';
import { byCode } from '../../values/codes.js';
import { type Group, positionOf, type Transmission, type Warn } from './segment.js';

/** What a transaction code (103-A3) requests or answers. */
export interface TransactionKind {
  readonly name: string;
  readonly request: string;
  readonly response: string;
  /** A request needs one of these segments. */
  readonly needs: readonly string[];
}

const kind = (name: string, request: string, response: string, ...needs: string[]): TransactionKind => ({
  name,
  request,
  response,
  needs: needs.length === 0 ? ['AM07'] : needs,
});

const AUTHORIZATION = ['AM12', 'AM07'];
const ASKED = 'authorization_requested';
const DECIDED = 'authorization_decided';
const KINDS: ReadonlyMap<string, TransactionKind> = new Map([
  ['B1', kind('billing', 'claim_submitted', 'claim_adjudicated')],
  ['B2', kind('reversal', 'claim_reversal_requested', 'reversal_decided')],
  ['B3', kind('rebill', 'claim_rebilled', 'claim_adjudicated')],
  ['S1', kind('service billing', 'claim_submitted', 'claim_adjudicated')],
  ['S2', kind('service reversal', 'claim_reversal_requested', 'reversal_decided')],
  ['S3', kind('service rebill', 'claim_rebilled', 'claim_adjudicated')],
  ['D1', kind('predetermination of benefits', 'claim_predetermination', 'claim_estimated')],
  ['E1', kind('eligibility', 'eligibility_asked', 'eligibility_reported', 'AM04', 'AM01')],
  ['P1', kind('prior authorization request and billing', ASKED, DECIDED, ...AUTHORIZATION)],
  [
    'P2',
    kind('prior authorization reversal', 'authorization_reversal_requested', 'reversal_decided', ...AUTHORIZATION),
  ],
  ['P3', kind('prior authorization inquiry', 'authorization_asked', DECIDED, ...AUTHORIZATION)],
  ['P4', kind('prior authorization request only', ASKED, DECIDED, ...AUTHORIZATION)],
]);

/** 112-AN to outcome; an unlisted status is unknown, never guessed. */
export const RESPONSE_OUTCOMES = byCode({
  approved: 'A',
  accepted: 'C',
  duplicate: 'D Q S',
  pended: 'F',
  paid: 'P',
  denied: 'R',
});

/** Faults that a processor rejects; strict reading rejects them too. */
const STRICT_CODES: ReadonlySet<string> = new Set(
  (
    'HEADER_SHORT HEADER_LONG COUNT_UNREADABLE COUNT_MISMATCH PROVIDER_MISSING FRAME_OPEN UNKNOWN_SEGMENT ' +
    'SEGMENT_UNNAMED FIELD_UNREADABLE GROUP_SEPARATOR_MISSING DATE_MISSING STATUS_UNKNOWN'
  ).split(' '),
);

/** The kind of a readable transmission; else why it yields no event. */
export function checkTransmission(
  transmission: Transmission,
  strict: boolean,
  warn: Warn,
): { kind: TransactionKind; groups: readonly Group[] } | { refusal: Refusal } {
  const { header } = transmission;
  const found = KINDS.get(header.code);
  if (found === undefined) {
    const known = /^[A-Z]\d$/.test(header.code) ? header.code : 'of an unknown type';
    return {
      refusal: { code: 'UNSUPPORTED_TRANSACTION', message: `transaction ${known} yields no event`, item: known },
    };
  }
  const groups = groupsOf(transmission, found);
  if (groups.length === 0) {
    const message = 'the transmission has no transaction';
    return { refusal: { code: 'TRANSMISSION_EMPTY', message, item: header.code, exceptionKind: 'PARSE_FAILED' } };
  }
  if (header.count !== null && header.count !== groups.length) {
    warn('COUNT_MISMATCH', `109-A9 differs from the ${groups.length} transactions found`);
  }
  const fault = strict ? strictFaultOf(transmission) : null;
  return fault === null ? { kind: found, groups } : { refusal: fault };
}

/** The first warning that strict reading rejects for. */
export function strictFaultOf(transmission: Transmission): Refusal | null {
  const found = transmission.warnings.find(({ code }) => STRICT_CODES.has(code));
  if (found === undefined) return null;
  const { code, message, segment } = found;
  return {
    code,
    message,
    item: transmission.header.code,
    exceptionKind: 'PARSE_FAILED',
    ...(segment !== undefined && { segment }),
  };
}

/** A rejected transmission or an eligibility request may have only shared segments, which then are its transaction. */
function groupsOf({ header, shared, groups, part }: Transmission, kind: TransactionKind): readonly Group[] {
  if (groups.length > 0) return groups;
  const alone =
    header.kind === 'response'
      ? header.status === 'R' || shared.length > 0
      : shared.some(({ id }) => kind.needs.includes(id));
  return alone ? [{ segments: [], start: part.offset, end: part.offset + part.length }] : [];
}

/** Why one transaction of a request yields no event; null if it yields one. */
export function groupFaultOf(transmission: Transmission, kind: TransactionKind, group: Group): Refusal | null {
  const { header, shared } = transmission;
  if (header.kind === 'response') return null;
  const all = [...group.segments, ...shared];
  const item = header.code;
  if (!all.some(({ id }) => kind.needs.includes(id))) {
    const message = `a transaction ${item} needs ${kind.needs.join(' or ')}`;
    return { code: 'SEGMENT_MISSING', message, item, exceptionKind: 'PARSE_FAILED' };
  }
  const claim = group.segments.find(({ id }) => id === 'AM07');
  if (claim !== undefined && claim.cutField?.id === 'D2') {
    const message = 'the transmission ends inside its claim: the prescription number may be cut';
    return { code: 'TRANSACTION_CUT', message, item, exceptionKind: 'PARSE_FAILED', segment: claim.id };
  }
  return null;
}

/** Where a transaction begins. */
export function positionOfGroup(transmission: Transmission, group: Group): Transmission['position'] {
  const [first] = group.segments;
  return first === undefined ? transmission.position : positionOf(first);
}
