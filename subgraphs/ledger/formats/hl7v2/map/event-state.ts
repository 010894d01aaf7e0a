import { byCode } from '../../values/codes.js';
import type { Message } from '../message/message.js';
import type { Segment } from '../message/segment.js';
import { codesOf } from './clinical-codes.js';
import { documentOutcome, type MessageKind, orderState } from './message-kinds.js';
import type { Unit } from './units.js';

interface EventState {
  readonly type: string;
  readonly outcome: string;
}

/** Event type and outcome: by the message's kind, or by the code in the event's own segments. */
export function stateOf(message: Message, kind: MessageKind, unit: Unit): EventState {
  if (kind.type === 'order') return stateOfOrder(message, unit);
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
