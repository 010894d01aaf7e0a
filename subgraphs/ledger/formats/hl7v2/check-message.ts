import type { Refusal } from '../emit.js';
import { isUsable } from '../values/payload.js';
import type { MessageKind } from './map/message-kinds.js';
import { isTooManifold } from './map/units.js';
import type { Message } from './message/message.js';
import { isKnownSegment, type Segment, type Separators } from './message/segment.js';

/** Why a readable message yields no events; null if it yields some. */
export function refusalOf(message: Message, kind: MessageKind | null, strict: boolean): Refusal | null {
  const parse = { item: 'message', exceptionKind: 'PARSE_FAILED' } as const;
  if (message.header.code === '') {
    const text = 'MSH-9 names no message type';
    return { ...parse, code: 'MESSAGE_TYPE_MISSING', message: text, segment: 'MSH', element: 9 };
  }
  if (message.segments.length === 1) {
    return { ...parse, code: 'MESSAGE_EMPTY', message: 'the message has no segment except MSH', segment: 'MSH' };
  }
  if (kind === null) return unsupported(message);
  checkMessage(message, kind);
  if (isTooManifold(message, kind.unit)) {
    return { ...parse, code: 'MESSAGE_TOO_LONG', message: 'the message has too many events for its length' };
  }
  const damaged = damagedPatient(message);
  if (damaged !== null) {
    const text =
      'a segment that may begin another patient is damaged: the patient of the following segments is unknown';
    return { ...parse, code: 'SEGMENT_UNREADABLE', message: text, segment: damaged.id };
  }
  const fault = strict ? strictFaultOf(message) : null;
  return fault && { ...parse, ...fault };
}

export function unsupported(message: Message): Refusal {
  const text = `message ${message.name} yields no event`;
  return { code: 'UNSUPPORTED_TRANSACTION', message: text, item: message.name, segment: 'MSH', element: 9 };
}

/** The warnings for which strict reading rejects a message. */
interface StrictFault {
  readonly code: string;
  readonly message: string;
  readonly segment?: string;
  readonly element?: number;
}

/** Faults that the sender's own acknowledgement would reject. */
const STRICT_CODES: ReadonlySet<string> = new Set(
  (
    'SEGMENT_UNTERMINATED MESSAGE_CUT SEGMENT_MISSING CONTROL_ID_MISSING PROCESSING_ID_UNKNOWN VERSION_UNKNOWN ' +
    'CHARSET_UNKNOWN CHARSET_MISMATCH SEGMENT_CONTINUED UNKNOWN_SEGMENT'
  ).split(' '),
);

/** Warns of faults in the header and the structure. */
function checkMessage(message: Message, kind: MessageKind): void {
  const { header, msh } = message;
  if (header.controlId === '') {
    const text = 'MSH-10 is empty: the record id is the hash of the message';
    message.warn('CONTROL_ID_MISSING', text, { segment: msh, field: 10 });
  }
  if (!/^[PTD]$/.test(header.processing)) {
    message.warn('PROCESSING_ID_UNKNOWN', 'MSH-11 is not P, T or D', { segment: msh, field: 11 });
  }
  if (!/^2(?:\.\d{1,2}){1,3}$/.test(header.version)) {
    message.warn('VERSION_UNKNOWN', 'MSH-12 is not an HL7 version 2', { segment: msh, field: 12 });
  }
  for (const id of kind.requires) {
    if (message.find(id) === undefined) {
      message.warn('SEGMENT_MISSING', `a message of this type needs ${id}`, { segment: msh });
    }
  }
  const unknown = message.unknownSegment();
  if (unknown !== undefined) {
    message.warn('UNKNOWN_SEGMENT', 'no version of HL7 defines this segment, and it is not a Z segment', {
      segment: unknown,
    });
  }
  const event = message.find('EVN');
  const trigger = event?.value(1) ?? '';
  if (event !== undefined && trigger !== '' && trigger.toUpperCase() !== header.trigger) {
    message.warn('TRIGGER_DIFFERS', 'EVN-1 names another event than MSH-9; MSH-9 is used', {
      segment: event,
      field: 1,
    });
  }
}

/** The first warning that strict reading rejects for. */
function strictFaultOf(message: Message): StrictFault | null {
  const found = message.warnings.find(({ code }) => STRICT_CODES.has(code));
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
 * A segment after the first patient that may be a damaged PID. An id close to PID counts unless the standard knows it;
 * in results, which cover several patients, any close id counts; in messages with several patients any unknown segment
 * counts.
 */
function damagedPatient(message: Message): Segment | null {
  const { segments, header } = message;
  const first = segments.findIndex(({ id }) => id === 'PID');
  if (first === -1) return null;
  const patients = new Set(segments.filter(({ id }) => id === 'PID').map((pid) => pid.field(3)));
  const forgiving = header.code !== 'ORU' && header.code !== 'OUL';
  const found = segments.slice(first + 1).find(({ id }) => {
    if (id === 'PID') return false;
    if (NEARLY_PID.test(id)) return !forgiving || !isKnownSegment(id);
    return patients.size > 1 && !isKnownSegment(id);
  });
  return found ?? null;
}

const NEARLY_PID = /^(?:.ID|P.D|PI.)$/;

const CONTROL_ID_LIMIT = 400;

/** MSH-10, else the hash of the message: stable for the same bytes. */
export function recordIdOf(message: Message, n: number): string {
  const { controlId } = message.header;
  const id = isUsable(controlId, CONTROL_ID_LIMIT)
    ? controlId
    : `sha256:${(message.part.contentSha256 ?? message.part.sha256).slice(0, 32)}`;
  return n === 0 ? id : `${id}/${n}`;
}

/** The MSH members that an acknowledgement needs, as sent, with escapes. */
export function headerOf(msh: Segment, separators: Separators): Record<string, string> {
  const { field, component, repetition, subcomponent } = separators;
  return {
    field_separator: field,
    encoding_characters: component + repetition + separators.escape + subcomponent,
    sender: msh.value(3),
    receiver: msh.value(5),
    control_number: msh.value(10),
    sending_application: msh.field(3),
    sending_facility: msh.field(4),
    receiving_application: msh.field(5),
    receiving_facility: msh.field(6),
    trigger: msh.field(9).split(component)[1] ?? '',
    control_id: msh.field(10),
    processing: msh.field(11),
    version: msh.field(12),
    accept_acknowledgement: msh.value(15).toUpperCase(),
    application_acknowledgement: msh.value(16).toUpperCase(),
  };
}
