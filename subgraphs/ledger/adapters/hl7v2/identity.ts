import { stateOf } from '../x12/codes.js';
import type { Message } from './message.js';
import type { Segment } from './segment.js';
import { describeDay } from './timestamps.js';
import type { PatientGroup } from './units.js';

/** An identifier of a CX field. */
export interface Identifier {
  readonly id: string;
  /** CX-4: namespace, else universal id. */
  readonly authority: string;
  /** CX-5 (table 0203). */
  readonly type: string;
}

/** Table 0203: member, subscriber, Medicaid and Medicare numbers. They are the plan's; all others are somebody else's. */
const memberTypes: ReadonlySet<string> = new Set(['MB', 'SN', 'MA', 'MC']);
/** The envelope's own bound. */
const memberIdLimit = 256;

/** The identifiers of all repetitions of a CX field. */
export function identifiersOf(segment: Segment, field: number): Identifier[] {
  const found: Identifier[] = [];
  for (const repetition of segment.repetitions(field)) {
    const id = segment.valueOf(repetition);
    if (id === '') continue;
    const authority = segment.valueOf(repetition, 4) || segment.valueOf(repetition, 4, 2);
    found.push({ id, authority, type: segment.valueOf(repetition, 5).toUpperCase() });
  }
  return found;
}

export function describeIdentifier({ id, authority, type }: Identifier): Record<string, unknown> {
  const described: Record<string, unknown> = { id };
  if (authority !== '') described.authority = authority;
  if (type !== '') described.type = type;
  return described;
}

/**
 * The member of a patient: PID-3 of a plan's type, else IN1-49, IN1-36, PID-2, the first PID-3. '' when there is none: without
 * a PID nobody is named, and a value that may have been cut with the body names somebody else. Nor do PID-2 and PID-3 stand
 * for an IN1 that was cut off.
 */
export function memberIdOf(message: Message, group: PatientGroup): string {
  const { pid } = group;
  if (pid === null || message.mayBeCut(pid, 3)) return '';
  const own = identifiersOf(pid, 3);
  const typed = own.find(({ type }) => memberTypes.has(type));
  const plans = [typed?.id ?? '', insuredId(message, group)];
  const others = mayLackInsurance(message) ? [] : [pid.value(2), own[0]?.id ?? ''];
  return [...plans, ...others].find((id) => isUsable(id)) ?? '';
}

/**
 * True where the id of an IN1 is known to be lost, or may be: the body is known to end inside the message, or inside its first
 * IN1. A body that ends behind an earlier segment looks like a message that never had one.
 */
function mayLackInsurance(message: Message): boolean {
  const first = message.find('IN1');
  return message.isCut || (first !== undefined && message.mayBeCut(first, first.fieldCount));
}

function insuredId(message: Message, { segments, shared }: PatientGroup): string {
  for (const segment of [...segments, ...shared]) {
    // Where IN1-49 may have been cut off, IN1-36 cannot stand for it.
    if (segment.id !== 'IN1' || message.mayBeCut(segment, 49)) continue;
    for (const field of [49, 36]) {
      const id = segment.value(field);
      if (isUsable(id)) return id;
    }
  }
  return '';
}

/** What an envelope takes as an id: something to see, and nothing that cannot be seen. */
export function isUsable(id: string, limit = memberIdLimit): boolean {
  return id !== '' && id.length <= limit && !/\p{Cc}/u.test(id);
}

/** A patient in a payload. */
export function describePatient(pid: Segment): Record<string, unknown> {
  const patient = describeName(pid, 5);
  const birthDate = describeDay(pid.value(7));
  if (birthDate !== '') patient.birth_date = birthDate;
  const gender = pid.value(8);
  if (gender !== '') patient.gender = gender;
  const state = stateIn(pid, 11);
  if (state !== '') patient.state = state;
  const account = pid.value(18);
  if (account !== '') patient.account_number = account;
  const deathDate = describeDay(pid.value(29));
  if (deathDate !== '') patient.death_date = deathDate;
  return patient;
}

/** An XPN field. */
export function describeName(segment: Segment, field: number): Record<string, unknown> {
  const name: Record<string, unknown> = {};
  const last = segment.value(field, 1);
  if (last !== '') name.last_name = last;
  const first = segment.value(field, 2);
  if (first !== '') name.first_name = first;
  const middle = segment.value(field, 3);
  if (middle !== '') name.middle_name = middle;
  const suffix = segment.value(field, 4);
  if (suffix !== '') name.suffix = suffix;
  return name;
}

/** The state of the first of an XAD field's addresses that lies in one of the United States; '' when none does. */
export function stateIn(segment: Segment, field: number): string {
  for (const repetition of segment.repetitions(field)) {
    const state = stateOf(segment.valueOf(repetition, 4), segment.valueOf(repetition, 6).toUpperCase());
    if (state !== '') return state;
  }
  return '';
}

/** PID of 2.8 has forty fields. */
const pidFields = 60;

/** The fields of a PID that the sender told to delete (`""`), such as `PID-13`. */
export function deletedFields(pid: Segment): string[] {
  const deleted: string[] = [];
  for (let n = 1; n <= pid.fieldCount && n <= pidFields; n += 1) if (pid.field(n) === '""') deleted.push(`PID-${n}`);
  return deleted;
}
