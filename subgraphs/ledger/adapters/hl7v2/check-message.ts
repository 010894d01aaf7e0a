import type { Message } from './message.js';
import type { MessageKind } from './message-kinds.js';
import type { Segment } from './segment.js';
import { isKnownSegment } from './segment-ids.js';

/** Why strict reading refuses a message; lenient reading warns of the same. */
export interface StrictFault {
  readonly code: string;
  readonly message: string;
  readonly segment?: string;
  readonly element?: number;
}

/** What the sender's own acknowledgement would reject, beside what the message could not be read for. */
const strictCodes: ReadonlySet<string> = new Set([
  'SEGMENT_UNTERMINATED',
  'MESSAGE_CUT',
  'SEGMENT_MISSING',
  'CONTROL_ID_MISSING',
  'PROCESSING_ID_UNKNOWN',
  'VERSION_UNKNOWN',
  'CHARSET_UNKNOWN',
  'CHARSET_MISMATCH',
  'SEGMENT_CONTINUED',
  'UNKNOWN_SEGMENT',
]);

/** Warns of what the header and the structure lack. */
export function checkMessage(message: Message, kind: MessageKind): void {
  const { header, msh } = message;
  if (header.controlId === '') {
    const text = 'MSH-10 is empty: the record is named by the hash of its message';
    message.warn('CONTROL_ID_MISSING', text, { segment: msh, field: 10 });
  }
  if (!/^[PTD]$/.test(header.processing)) {
    message.warn('PROCESSING_ID_UNKNOWN', 'MSH-11 is none of P, T and D', { segment: msh, field: 11 });
  }
  if (!/^2(?:\.\d{1,2}){1,3}$/.test(header.version)) {
    message.warn('VERSION_UNKNOWN', 'MSH-12 names no version 2 of HL7', { segment: msh, field: 12 });
  }
  for (const id of kind.requires) {
    if (message.find(id) === undefined) {
      message.warn('SEGMENT_MISSING', `a message of this type needs ${id}`, { segment: msh });
    }
  }
  const unknown = message.unknownSegment();
  if (unknown !== undefined) {
    message.warn('UNKNOWN_SEGMENT', 'no version of HL7 knows this segment, and it is no Z segment', {
      segment: unknown,
    });
  }
  const event = message.find('EVN');
  const trigger = event?.value(1) ?? '';
  if (event !== undefined && trigger !== '' && trigger.toUpperCase() !== header.trigger) {
    message.warn('TRIGGER_DIFFERS', 'EVN-1 names another event than MSH-9; MSH-9 is believed', {
      segment: event,
      field: 1,
    });
  }
}

/** The first warning that strict reading refuses for. */
export function strictFaultOf(message: Message): StrictFault | null {
  const found = message.warnings.find(({ code }) => strictCodes.has(code));
  if (found === undefined) return null;
  const { code, segment, element } = found;
  return {
    code,
    message: found.message,
    ...(segment !== undefined && { segment }),
    ...(element !== undefined && { element }),
  };
}

/**
 * A segment behind the first patient that may have been another PID before it was damaged. An id that is nearly PID counts in
 * every message unless the standard knows it; results, which come for several patients, forgive none; and where there are
 * several patients any unknown segment may be one more.
 */
export function damagedPatient(message: Message): Segment | null {
  const { segments, header } = message;
  const first = segments.findIndex(({ id }) => id === 'PID');
  if (first === -1) return null;
  const patients = new Set(segments.filter(({ id }) => id === 'PID').map((pid) => pid.field(3)));
  const forgiving = header.code !== 'ORU' && header.code !== 'OUL';
  const found = segments.slice(first + 1).find(({ id }) => {
    if (id === 'PID') return false;
    if (nearlyPid.test(id)) return !forgiving || !isKnownSegment(id);
    return patients.size > 1 && !isKnownSegment(id);
  });
  return found ?? null;
}

const nearlyPid = /^(?:.ID|P.D|PI.)$/;
