import { roleOf } from '../../values/identity.js';
import { compact, isUsable } from '../../values/payload.js';
import type { Message } from '../message/message.js';
import type { Segment } from '../message/segment.js';
import { describeFields, fieldsOf } from './fields.js';
import type { PatientGroup } from './units.js';

/** An identifier of a CX field. */
interface Identifier {
  readonly id: string;
  /** CX-4: namespace, else universal id. */
  readonly authority: string;
  /** CX-5 (table 0203). */
  readonly type: string;
}

/** Table 0203: member, subscriber, Medicaid and Medicare numbers, which identify a plan's member. */
const MEMBER_TYPES: ReadonlySet<string> = new Set(['MB', 'SN', 'MA', 'MC']);

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

export const describeIdentifier = ({ id, authority, type }: Identifier): Record<string, unknown> =>
  compact({ id, authority, type });

/**
 * The member of a patient: PID-3 of a plan's type, else IN1-49, IN1-36, PID-2, the first PID-3 that is no number of a
 * person (a social security number). '' without a PID or if the value may have been cut. If an IN1 was cut, PID-2 and PID-3 do not replace it.
 */
export function memberIdOf(message: Message, group: PatientGroup): string {
  const { pid } = group;
  if (pid === null || message.grade === 'CUT' || message.mayBeCut(pid, 3)) return '';
  const own = identifiersOf(pid, 3);
  const typed = own.find(({ type }) => MEMBER_TYPES.has(type));
  const plans = [typed?.id ?? '', insuredId(message, group)];
  const others = mayLackInsurance(message)
    ? []
    : [...identifiersOf(pid, 2), ...own].filter(isOfPatient).map(({ id }) => id);
  return [...plans, ...others].find((id) => isUsable(id)) ?? '';
}

/** False for the number of a person or a provider, which names no member. */
const isOfPatient = ({ authority, type }: Identifier): boolean =>
  ['MEMBER', 'LOCAL'].includes(roleOf({ system: authority, types: type === '' ? [] : [type] }));

/**
 * True if the id of an IN1 is or may be lost: the body ends inside the message or inside its first IN1. A body that
 * ends after an earlier segment looks like a message without IN1.
 */
function mayLackInsurance(message: Message): boolean {
  const first = message.find('IN1');
  return message.isCut || (first !== undefined && message.mayBeCut(first, first.fieldCount));
}

function insuredId(message: Message, { segments, shared }: PatientGroup): string {
  for (const segment of [...segments, ...shared]) {
    // IN1-36 does not replace an IN1-49 that may have been cut.
    if (segment.id !== 'IN1' || message.mayBeCut(segment, 49)) continue;
    for (const field of [49, 36]) {
      const id = segment.value(field);
      if (isUsable(id)) return id;
    }
  }
  return '';
}

const PATIENT = fieldsOf('birth_date=7d gender=8 state=11a account_number=18 death_date=29d');

/** A patient in a payload. */
export const describePatient = (pid: Segment): Record<string, unknown> => ({
  ...describeName(pid, 5),
  ...describeFields(pid, PATIENT),
});

/** An XPN field. */
export const describeName = (segment: Segment, field: number): Record<string, unknown> =>
  compact({
    last_name: segment.value(field, 1),
    first_name: segment.value(field, 2),
    middle_name: segment.value(field, 3),
    suffix: segment.value(field, 4),
  });

/** PID of 2.8 has forty fields. */
const PID_FIELDS = 60;

/** The fields of a PID that the sender asks to delete (`""`), such as `PID-13`. */
export function deletedFields(pid: Segment): string[] {
  const deleted: string[] = [];
  for (let n = 1; n <= pid.fieldCount && n <= PID_FIELDS; n += 1) if (pid.field(n) === '""') deleted.push(`PID-${n}`);
  return deleted;
}
