import type { Refusal } from '../refusal.js';
import { kindOf, type TransactionKind } from './transaction-codes.js';
import { type Group, positionOf, type Transmission, type Warn } from './transmission.js';

/** What a processor would reject the transmission for; strict reading refuses it. */
const strictCodes: ReadonlySet<string> = new Set([
  'HEADER_SHORT',
  'HEADER_LONG',
  'COUNT_UNREADABLE',
  'COUNT_MISMATCH',
  'PROVIDER_MISSING',
  'FRAME_OPEN',
  'UNKNOWN_SEGMENT',
  'SEGMENT_UNNAMED',
  'FIELD_UNREADABLE',
  'GROUP_SEPARATOR_MISSING',
  'DATE_MISSING',
  'STATUS_UNKNOWN',
]);

/** The kind of a transmission that can be read; else why it gives no event. */
export function judgeTransmission(
  transmission: Transmission,
  strict: boolean,
  warn: Warn,
): { kind: TransactionKind; groups: readonly Group[] } | { refusal: Refusal } {
  const { header } = transmission;
  const kind = kindOf(header.code);
  if (kind === null) {
    const known = /^[A-Z]\d$/.test(header.code) ? header.code : 'of an unknown type';
    return {
      refusal: { code: 'UNSUPPORTED_TRANSACTION', message: `transaction ${known} gives no event`, item: known },
    };
  }
  const groups = groupsOf(transmission, kind);
  if (groups.length === 0) {
    const message = 'the transmission holds no transaction';
    return { refusal: { code: 'TRANSMISSION_EMPTY', message, item: header.code, exceptionKind: 'PARSE_FAILED' } };
  }
  if (header.count !== null && header.count !== groups.length) {
    warn('COUNT_MISMATCH', `109-A9 does not say the ${groups.length} transactions there are`);
  }
  const fault = strict ? strictFaultOf(transmission) : null;
  return fault === null ? { kind, groups } : { refusal: fault };
}

/** The first warning that strict reading refuses for. */
export function strictFaultOf(transmission: Transmission): Refusal | null {
  const found = transmission.warnings.find(({ code }) => strictCodes.has(code));
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

/** A rejected transmission, and a question about eligibility, may have nothing but shared segments: they are its transaction. */
function groupsOf({ header, shared, groups, part }: Transmission, kind: TransactionKind): readonly Group[] {
  if (groups.length > 0) return groups;
  const alone =
    header.kind === 'response'
      ? header.status === 'R' || shared.length > 0
      : shared.some(({ id }) => kind.needs.includes(id));
  return alone ? [{ segments: [], start: part.offset, end: part.offset + part.length }] : [];
}

/** Why one transaction of a request gives no event; null when it gives one. */
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
