import { checkMessage, damagedPatient, strictFaultOf } from './check-message.js';
import type { Message } from './message.js';
import type { MessageKind } from './message-kinds.js';
import { isTooManifold } from './units.js';

/** Why a part of the body gives no event. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly item: string;
  readonly exceptionKind?: 'PARSE_FAILED';
  readonly segment?: string;
  readonly element?: number;
}

/** Why a message that was read gives no events; null when it gives some. */
export function refusalOf(message: Message, kind: MessageKind | null, strict: boolean): Refusal | null {
  const parse = { item: 'message', exceptionKind: 'PARSE_FAILED' } as const;
  if (message.header.code === '') {
    return {
      ...parse,
      code: 'MESSAGE_TYPE_MISSING',
      message: 'MSH-9 names no message type',
      segment: 'MSH',
      element: 9,
    };
  }
  if (message.segments.length === 1) {
    return { ...parse, code: 'MESSAGE_EMPTY', message: 'the message has no segment but MSH', segment: 'MSH' };
  }
  if (kind === null) return unsupported(message);
  checkMessage(message, kind);
  if (isTooManifold(message, kind.unit)) {
    return { ...parse, code: 'MESSAGE_TOO_LONG', message: 'the message holds too many events for its length' };
  }
  const damaged = damagedPatient(message);
  if (damaged !== null) {
    const text = 'a segment that may begin another patient is damaged: whose the next ones are cannot be told';
    return { ...parse, code: 'SEGMENT_UNREADABLE', message: text, segment: damaged.id };
  }
  const fault = strict ? strictFaultOf(message) : null;
  return fault && { ...parse, ...fault };
}

export function unsupported(message: Message): Refusal {
  const text = `message ${message.name} gives no event`;
  return { code: 'UNSUPPORTED_TRANSACTION', message: text, item: message.name, segment: 'MSH', element: 9 };
}
