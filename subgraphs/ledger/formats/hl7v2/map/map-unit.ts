import type { AttachedDocument, EnvelopeDraft } from '../../format-adapter.js';
import { effectiveTime, parseMoment, type TimeSource } from '../../values/hl7-timestamps.js';
import { compact } from '../../values/payload.js';
import type { Message } from '../message/message.js';
import type { Segment } from '../message/segment.js';
import { describeAppointment } from './appointments.js';
import { describeDiagnoses, describeProcedures } from './clinical-codes.js';
import { describeCoverage } from './coverage.js';
import { describeCharge, describeMerge, describeProviders, notesOf, ORDER, REFERRAL, VISIT } from './describe-parts.js';
import { describeNotice } from './documents.js';
import { stateOf } from './event-state.js';
import { describeFields, stateIn } from './fields.js';
import { deletedFields, describeIdentifier, describePatient, identifiersOf, memberIdOf } from './identity.js';
import { describeImmunizations } from './immunizations.js';
import type { EventUnit, MessageKind } from './message-kinds.js';
import { describeGroups, describeResults } from './results.js';
import type { Unit } from './units.js';

interface MappingOptions {
  readonly receivedAt: string;
  readonly zone: string;
}

interface MappedUnit {
  readonly envelope: Omit<EnvelopeDraft, 'source_system' | 'source_record_id'>;
  /** True if the effective time is the time of receipt. */
  readonly received: boolean;
  readonly documents: readonly AttachedDocument[];
}

/** The envelope of one event. */
export function mapUnit(message: Message, kind: MessageKind, unit: Unit, options: MappingOptions): MappedUnit {
  const time = effectiveTime(timeSources(message, kind, unit), options);
  if (time.received) message.warn('DATE_MISSING', 'no field has the time of the event: the time of receipt is used');
  const { type, outcome } = stateOf(message, kind, unit);
  const memberId = memberIdOf(message, unit.group);
  const inResults: AttachedDocument[] = [];
  const notice = noticeOf(kind, unit);
  const payload = describeUnit(message, kind, unit, notice === undefined ? inResults : undefined);
  const documents = notice === undefined ? inResults : describeNotice(notice, unit.own, message, payload);
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
    documents,
  };
}

/** The fields that date the events of a message type; the first that is valued counts. */
const TIME_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['ORU', ['OBR-22', 'OBR-7']],
  ['OUL', ['OBR-22', 'OBR-7']],
  ['SIU', ['SCH-11.4', 'TQ1-7', 'AIS-4', 'AIP-6']],
  ['MDM', ['TXA-4']],
  ['VXU', ['RXA-3']],
  ['RAS', ['RXA-3']],
  ['RDS', ['RXD-3']],
]);
const CHARGE_TIMES = ['FT1-4'];

/** The fields that can date an event: its own, then EVN-2, then MSH-7. */
function timeSources(message: Message, kind: MessageKind, unit: Unit): TimeSource[] {
  const sources: TimeSource[] = [];
  const all = [...unit.own, ...unit.common];
  const add = (name: string, segments: readonly Segment[]): void => {
    const [id = '', path = ''] = name.split('-');
    const [field = 0, component = 1] = path.split('.').map(Number);
    const segment = segments.find((one) => one.id === id);
    const text = segment?.value(field, component) ?? '';
    if (segment === undefined || text === '') return;
    const moment = parseMoment(text);
    sources.push({ text, name, moment });
    if (moment === null) message.warn('DATE_UNREADABLE', 'the field has no readable date', { segment, field });
  };
  const own = kind.unit === 'charge' ? CHARGE_TIMES : TIME_FIELDS.get(message.header.code);
  for (const name of own ?? []) if (sources.length === 0) add(name, all);
  add('EVN-2', message.segments);
  add('MSH-7', message.segments);
  return sources;
}

function describeUnit(
  message: Message,
  kind: MessageKind,
  unit: Unit,
  documents: AttachedDocument[] | undefined,
): Record<string, unknown> {
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
  if (visit !== undefined) payload['visit'] = describeFields(visit, VISIT);
  payload['providers'] = describeProviders(all);
  // A charge has its own procedures; the account's diagnoses apply to all its charges.
  describeProcedures(unit.own, payload);
  describeDiagnoses(all, payload);
  payload['rationale'] = notesOf(unit.whole ? all : unit.own);
  // Observations before the first immunization are the patient's: they apply to each of its events.
  const results = describeResults(kind.unit === 'administration' ? all : unit.own, message, documents);
  if (results.length > 0) payload['results'] = results;
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

/** `US-XX` of the member's address, else of the payer's; `US` if neither names a state. */
function jurisdictionOf({ group }: Unit): string {
  const insurance = [...group.segments, ...group.shared].find(({ id }) => id === 'IN1');
  const state = (group.pid && stateIn(group.pid, 11)) || (insurance && stateIn(insurance, 5)) || '';
  return state === '' ? 'US' : `US-${state}`;
}

/** Units that an ORC may begin. */
const ORDERED: ReadonlySet<EventUnit> = new Set(['order', 'administration']);

/** The payload members of this kind of message. */
function describeKind(message: Message, kind: MessageKind, unit: Unit, payload: Record<string, unknown>): void {
  const all = [...unit.common, ...unit.own];
  const find = (id: string): Segment | undefined => all.find((segment) => segment.id === id);
  if (kind.type === 'result_reported') payload['groups'] = describeGroups(unit.own);
  if (ORDERED.has(kind.unit)) payload['order'] = describeFields((id) => unit.own.find((one) => one.id === id), ORDER);
  if (kind.unit === 'order' && isPrior(unit)) payload['prior_result'] = true;
  const merge = find('MRG');
  if (merge !== undefined) describeMerge(merge, payload);
  const charge = unit.own.find(({ id }) => id === 'FT1');
  if (kind.unit === 'charge' && charge !== undefined) describeCharge(charge, message, payload);
  const schedule = find('SCH');
  if (kind.family === 'appointment' && schedule !== undefined) {
    payload['appointment'] = describeAppointment(all);
    payload['service'] = schedule.text(7, 2) || schedule.text(7);
  }
  const referral = find('RF1');
  if (kind.family === 'prior_authorization' && referral !== undefined) describeReferralOf(referral, payload);
  if (message.header.code === 'VXU' || message.header.code === 'RAS')
    payload['immunizations'] = describeImmunizations(unit.own);
}

/** The TXA of a document notice. Its documents are all of its content. */
const noticeOf = ({ family }: MessageKind, { common, own }: Unit): Segment | undefined =>
  family === 'document' ? [...common, ...own].find(({ id }) => id === 'TXA') : undefined;

function describeReferralOf(referral: Segment, payload: Record<string, unknown>): void {
  const described = describeFields(referral, REFERRAL);
  payload['referral'] = described;
  const numbers = [described['number'], described['external_number']].filter((number) => number !== undefined);
  payload['referral_number'] = numbers[0];
  payload['referral_numbers'] = numbers;
}

/** OMG and OML repeat earlier results after an order, preceded by a visit or patient. */
function isPrior({ group, own }: Unit): boolean {
  const start = own[0] === undefined ? -1 : group.segments.indexOf(own[0]);
  const firstOrder = group.segments.findIndex(({ id }) => id === 'ORC');
  if (firstOrder === -1 || start <= firstOrder) return false;
  return group.segments.slice(firstOrder, start).some(({ id }) => id === 'PV1' || id === 'PID');
}
