import type { EnvelopeDraft } from '../adapter.js';
import { compact } from '../x12/compact.js';
import { describeDiagnoses, describeProcedures } from './clinical-codes.js';
import { describeCoverage } from './coverage.js';
import {
  describeAppointment,
  describeCharge,
  describeDocumentNotice,
  describeMerge,
  describeOrder,
  describeProviders,
  describeReferral,
  describeVisit,
  notesOf,
} from './describe-parts.js';
import { deletedFields, describeIdentifier, describePatient, identifiersOf, memberIdOf, stateIn } from './identity.js';
import { describeImmunizations } from './immunizations.js';
import type { Message } from './message.js';
import { documentOutcome, type MessageKind, orderState } from './message-kinds.js';
import { describeGroups, describeResults } from './results.js';
import type { Segment } from './segment.js';
import { effectiveTime, parseMoment, type TimeSource } from './timestamps.js';
import type { Unit } from './units.js';

export interface MappingOptions {
  readonly receivedAt: string;
  readonly zone: string;
}

export interface MappedUnit {
  readonly envelope: Omit<EnvelopeDraft, 'source_system' | 'source_record_id'>;
  /** True when the effective time is the time of receipt. */
  readonly received: boolean;
}

/** The envelope of one event. */
export function mapUnit(message: Message, kind: MessageKind, unit: Unit, options: MappingOptions): MappedUnit {
  const time = effectiveTime(timeSources(message, kind, unit), options);
  if (time.received) message.warn('DATE_MISSING', 'no field holds the time of the event: the time of receipt is taken');
  const { type, outcome } = stateOf(message, kind, unit);
  const memberId = memberIdOf(message, unit.group);
  const payload = describeUnit(message, kind, unit);
  payload['timestamp_basis'] = time.basis;
  return {
    envelope: {
      event_family: kind.family,
      event_type: type,
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome,
      payload: compact(payload),
    },
    received: time.received,
  };
}

/** The fields that an event is dated from: its own, then EVN-2, then MSH-7. */
function timeSources(message: Message, kind: MessageKind, unit: Unit): TimeSource[] {
  const sources: TimeSource[] = [];
  const add = (segment: Segment | undefined, field: number, component = 1): void => {
    const text = segment?.value(field, component) ?? '';
    if (segment === undefined || text === '') return;
    sources.push({ text, name: `${segment.id}-${field}${component === 1 ? '' : `.${component}`}` });
    if (parseMoment(text) === null)
      message.warn('DATE_UNREADABLE', 'the field holds no date that can be read', { segment, field });
  };
  const all = [...unit.own, ...unit.common];
  const find = (id: string): Segment | undefined => all.find((segment) => segment.id === id);
  const { code } = message.header;
  if (code === 'ORU' || code === 'OUL') {
    add(find('OBR'), 22);
    if (sources.length === 0) add(find('OBR'), 7);
  } else if (code === 'SIU') {
    add(find('SCH'), 11, 4);
    if (sources.length === 0) add(find('TQ1'), 7);
  } else if (kind.unit === 'charge') add(find('FT1'), 4);
  else if (code === 'MDM') add(find('TXA'), 4);
  else if (code === 'VXU' || code === 'RAS') add(find('RXA'), 3);
  else if (code === 'RDS') add(find('RXD'), 3);
  add(message.find('EVN'), 2);
  add(message.msh, 7);
  return sources;
}

/** Event type and outcome: of the message's kind, or by ORC-1 and TXA-17 where these tell. */
function stateOf(message: Message, kind: MessageKind, unit: Unit): { type: string; outcome: string } {
  if (kind.type === 'order') {
    const order = unit.own.find(({ id }) => id === 'ORC');
    const state = orderState(order?.value(1).toUpperCase() ?? '');
    if (state !== null) return state;
    const at = order === undefined ? {} : { segment: order, field: 1 };
    message.warn('ORDER_CONTROL_UNKNOWN', 'ORC-1 does not say what is done with the order', at);
    return { type: 'order_reported', outcome: 'unknown' };
  }
  if (kind.family !== 'document' || kind.outcome !== '') return { type: kind.type, outcome: kind.outcome };
  const notice = unit.own.find(({ id }) => id === 'TXA');
  const outcome = documentOutcome(notice?.value(17).toUpperCase() ?? '');
  if (outcome === null && notice !== undefined) {
    message.warn('STATUS_UNKNOWN', 'TXA-17 is no known completion status', { segment: notice, field: 17 });
  }
  return { type: kind.type, outcome: outcome ?? 'unknown' };
}

function describeUnit(message: Message, kind: MessageKind, unit: Unit): Record<string, unknown> {
  const { header } = message;
  const all = [...unit.common, ...unit.own];
  const payload: Record<string, unknown> = {
    message_type: message.name,
    trigger_event: header.trigger,
    message_id: header.controlId,
  };
  describePerson(unit, payload);
  const { segments, shared } = unit.group;
  describeCoverage([...shared, ...segments], payload);
  payload['jurisdiction'] = jurisdictionOf(unit);
  const visit = segments.find(({ id }) => id === 'PV1');
  if (visit !== undefined) payload['visit'] = describeVisit(visit);
  payload['providers'] = describeProviders(all);
  // A charge has its own procedures; the account's diagnoses hold for all its charges.
  describeProcedures(unit.own, payload);
  describeDiagnoses(all, payload);
  payload['rationale'] = notesOf(unit.whole ? all : unit.own);
  describeKind(message, kind, unit, payload);
  return payload;
}

function describePerson({ group }: Unit, payload: Record<string, unknown>): void {
  const { pid } = group;
  if (pid === null) return;
  payload['identifiers'] = [...identifiersOf(pid, 3), ...identifiersOf(pid, 2)]
    .filter(({ id, type }, at, all) => all.findIndex((one) => one.id === id && one.type === type) === at)
    .map(describeIdentifier);
  payload['patient'] = describePatient(pid);
  payload['deleted_fields'] = deletedFields(pid);
}

/** `US-XX` of the member's address, else of the payer's; `US` when neither names a state. */
function jurisdictionOf({ group }: Unit): string {
  const insurance = [...group.segments, ...group.shared].find(({ id }) => id === 'IN1');
  const state = (group.pid && stateIn(group.pid, 11)) || (insurance && stateIn(insurance, 5)) || '';
  return state === '' ? 'US' : `US-${state}`;
}

/** What only this kind of message says. */
function describeKind(message: Message, kind: MessageKind, unit: Unit, payload: Record<string, unknown>): void {
  const all = [...unit.common, ...unit.own];
  const find = (id: string): Segment | undefined => all.find((segment) => segment.id === id);
  const results = describeResults(unit.own, message);
  if (results.length > 0) payload['results'] = results;
  if (kind.type === 'result_reported') payload['groups'] = describeGroups(unit.own);
  if (kind.unit === 'order') payload['order'] = describeOrder(unit.own);
  if (kind.unit === 'order' && isPrior(unit)) payload['prior_result'] = true;
  const merge = find('MRG');
  if (merge !== undefined) describeMerge(merge, payload);
  const charge = unit.own.find(({ id }) => id === 'FT1');
  if (kind.unit === 'charge' && charge !== undefined) describeCharge(charge, message, payload);
  const notice = find('TXA');
  if (kind.family === 'document' && notice !== undefined) {
    payload['document'] = describeDocumentNotice(notice);
    payload['relates_to'] = notice.value(13) || notice.value(13, 3);
    payload['service'] = notice.text(2, 2) || notice.value(2);
  }
  const schedule = find('SCH');
  if (kind.family === 'appointment' && schedule !== undefined) {
    payload['appointment'] = describeAppointment(schedule, all);
    payload['service'] = schedule.text(7, 2) || schedule.text(7);
  }
  const referral = find('RF1');
  if (kind.family === 'prior_authorization' && referral !== undefined) describeReferralOf(referral, payload);
  if (message.header.code === 'VXU' || message.header.code === 'RAS')
    payload['immunizations'] = describeImmunizations(unit.own);
}

function describeReferralOf(referral: Segment, payload: Record<string, unknown>): void {
  const described = describeReferral(referral);
  payload['referral'] = described;
  const numbers = [described['number'], described['external_number']].filter((number) => number !== undefined);
  payload['referral_number'] = numbers[0];
  payload['referral_numbers'] = numbers;
}

/** OMG and OML carry earlier results behind an order, with a visit or patient of their own before them. */
function isPrior({ group, own }: Unit): boolean {
  const start = group.segments.indexOf(own[0] as Segment);
  const firstOrder = group.segments.findIndex(({ id }) => id === 'ORC');
  if (firstOrder === -1 || start <= firstOrder) return false;
  return group.segments.slice(firstOrder, start).some(({ id }) => id === 'PV1' || id === 'PID');
}
