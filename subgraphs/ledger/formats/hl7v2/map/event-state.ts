import { byCode } from '../../values/codes.js';
import type { Message } from '../message/message.js';
import type { Segment } from '../message/segment.js';
import { codesOf } from './clinical-codes.js';
import { documentOutcome, type MessageKind, orderState } from './message-kinds.js';
import { RESULT_STATUSES } from './results.js';
import type { Unit } from './units.js';

interface EventState {
  readonly type: string;
  readonly outcome: string;
}

/** Event type and outcome: by the message's kind, or by the code in the event's own segments. */
export function stateOf(message: Message, kind: MessageKind, unit: Unit): EventState {
  if (kind.type === 'order') return stateOfOrder(message, unit);
  if (kind.unit === 'result') return stateOfResult(message, kind, unit);
  if (kind.unit === 'administration') return stateOfImmunization(message, kind, unit);
  if (kind.family === 'document' && kind.outcome === '') return stateOfDocument(message, kind, unit);
  return kind;
}

/** By ORC-1. */
function stateOfOrder(message: Message, { own }: Unit): EventState {
  const order = own.find(({ id }) => id === 'ORC');
  const state = orderState(order?.value(1).toUpperCase() ?? '');
  if (state !== null) return state;
  const at = order === undefined ? {} : { segment: order, field: 1 };
  message.warn('ORDER_CONTROL_UNKNOWN', 'ORC-1 has no known order control code', at);
  return { type: 'order_reported', outcome: 'unknown' };
}

/** By TXA-17. */
function stateOfDocument(message: Message, { type }: MessageKind, { own }: Unit): EventState {
  const notice = own.find(({ id }) => id === 'TXA');
  const outcome = documentOutcome(notice?.value(17).toUpperCase() ?? '');
  if (outcome === null && notice !== undefined) {
    message.warn('STATUS_UNKNOWN', 'TXA-17 is not a known completion status', { segment: notice, field: 17 });
  }
  return { type, outcome: outcome ?? 'unknown' };
}

/** Words of OBR-25 to event types. */
const RESULT_TYPES = byCode({
  result_reported: 'final',
  result_preliminary: 'partial preliminary unverified',
  result_corrected: 'corrected',
  result_pending: 'ordered pending scheduled',
  result_cancelled: 'cancelled',
});
/** OBX-11 (table 0085) to the words of OBR-25. N and O describe a question, not its answer. */
const OBSERVATION_WORDS = byCode({
  final: 'F U V B',
  preliminary: 'P R S',
  pending: 'I',
  corrected: 'C W D A',
  cancelled: 'X',
});
/** The observation that decides for its group: one corrected result makes the report a correction. */
const PRECEDENCE = ['corrected', 'preliminary', 'pending', 'final', 'cancelled'] as const;

/** By OBR-25, else by OBX-11 of the group; without either it is a report like any other. */
function stateOfResult(message: Message, { type, outcome }: MessageKind, { own }: Unit): EventState {
  const order = own.find(({ id }) => id === 'OBR');
  const status = order?.value(25).toUpperCase() ?? '';
  const word = status === '' ? observationWord(own) : RESULT_STATUSES.get(status);
  if (word === undefined && status !== '' && order !== undefined) {
    message.warn('STATUS_UNKNOWN', 'OBR-25 is not a known result status', { segment: order, field: 25 });
    return { type, outcome: 'unknown' };
  }
  return { type: RESULT_TYPES.get(word ?? '') ?? type, outcome };
}

function observationWord(segments: readonly Segment[]): string | undefined {
  const words = new Set<string | undefined>();
  for (const segment of segments) {
    if (segment.id === 'OBX') words.add(OBSERVATION_WORDS.get(segment.value(11).toUpperCase()));
  }
  return PRECEDENCE.find((word) => words.has(word));
}

/** RXA-20 (table 0322): complete, partial, refused, not administered. */
const COMPLETIONS = byCode({
  immunization_given: 'CP PA',
  immunization_refused: 'RE',
  immunization_not_given: 'NA',
});
/** CVX: no vaccine administered. */
const NO_VACCINE = '998';

/** By RXA-21 if it deletes the record, else by RXA-20. An empty RXA-20 is the standard's older form of a given dose. */
function stateOfImmunization(message: Message, { type, outcome }: MessageKind, { own }: Unit): EventState {
  const given = own.find(({ id }) => id === 'RXA');
  if (given === undefined) return { type, outcome };
  if (given.value(21).toUpperCase() === 'D') return { type: 'immunization_deleted', outcome: 'cancelled' };
  const completion = given.value(20).toUpperCase();
  if (completion === '') return { type: impliedType(given), outcome };
  const named = COMPLETIONS.get(completion);
  if (named !== undefined) return { type: named, outcome };
  message.warn('STATUS_UNKNOWN', 'RXA-20 is not a known completion status', { segment: given, field: 20 });
  return { type, outcome: 'unknown' };
}

function impliedType(given: Segment): string {
  if (given.value(18) !== '' || given.value(18, 2) !== '') return 'immunization_refused';
  return codesOf(given, 5).some(({ code }) => code === NO_VACCINE) ? 'immunization_not_given' : 'immunization_given';
}
