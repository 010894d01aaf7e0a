import type { Message } from '../message/message.js';
import type { Segment } from '../message/segment.js';
import type { EventUnit } from './message-kinds.js';

/** The segments of one patient in a message; most messages have one. */
export interface PatientGroup {
  readonly pid: Segment | null;
  /** From PID on; the whole message without a PID. */
  readonly segments: readonly Segment[];
  /** Segments of the whole message: those before the first PID, and an appointment's resources. */
  readonly shared: readonly Segment[];
}

/** The source of one event. */
export interface Unit {
  readonly group: PatientGroup;
  /** The event's own segments: an order's, an immunization's, a charge's, or all of the patient's. */
  readonly own: readonly Segment[];
  /** Segments that apply to all events of the patient. */
  readonly common: readonly Segment[];
  /** True if the whole message is this event. */
  readonly whole: boolean;
}

/** Segments after the last FT1 that apply to the whole DFT^P03 (chapter 6, DFT_P03). */
const ACCOUNT_SEGMENTS: ReadonlySet<string> = new Set(['DG1', 'DRG', 'GT1', 'IN1', 'IN2', 'IN3', 'ACC']);

/** The most events times shared segments, because every event scans what its message shares. */
const LOOKUPS_LIMIT = 10_000_000;

/** The segment that each event has once. */
const FIRST_SEGMENTS: Readonly<Record<EventUnit, string>> = {
  message: 'PID',
  order: 'ORC',
  administration: 'RXA',
  charge: 'FT1',
};

/** True if a message would take seconds to read: many events times many segments. */
export function isTooManifold(message: Message, unit: EventUnit): boolean {
  const begins = FIRST_SEGMENTS[unit];
  const events = message.segments.filter(
    ({ id }) => id === begins || id === 'PID' || (unit === 'order' && id === 'OBR'),
  );
  return events.length * message.segments.length > LOOKUPS_LIMIT;
}

/** The events of a message, in order. */
export function unitsOf(message: Message, unit: EventUnit): Unit[] {
  const groups = patientGroups(message);
  const units = groups.flatMap((group) => unitsOfGroup(group, unit, message));
  return units.length === 1 ? units.map((only) => ({ ...only, whole: true })) : units;
}

/**
 * The patients of a message. A PID with another PID-3 begins the next patient. A repeated PID-3 is the same patient
 * (prior results of an order repeat it).
 */
function patientGroups(message: Message): PatientGroup[] {
  const shared: Segment[] = [];
  const groups: { pid: Segment; segments: Segment[] }[] = [];
  let toShared = true;
  for (const segment of message.segments) {
    const open = groups.at(-1);
    if (segment.id === 'PID' && (open === undefined || segment.field(3) !== open.pid.field(3))) {
      groups.push({ pid: segment, segments: [segment] });
      toShared = false;
    } else if (toShared || open === undefined) shared.push(segment);
    else if (segment.id === 'RGS' && message.header.code === 'SIU') {
      shared.push(segment);
      toShared = true;
    } else open.segments.push(segment);
  }
  if (groups.length === 0) return [{ pid: null, segments: shared, shared: [] }];
  return groups.map(({ pid, segments }) => ({ pid, segments, shared }));
}

function unitsOfGroup(group: PatientGroup, unit: EventUnit, message: Message): Unit[] {
  if (unit === 'message') return [wholeGroup(group)];
  const starts = startsOf(group.segments, unit);
  const [first] = starts;
  // A patient's only immunization has the patient's other segments too.
  const isOnly = starts.length === 1 && unit === 'administration';
  if (first === undefined || isOnly) return [wholeGroup(group)];
  const end = unit === 'charge' && message.header.trigger === 'P03' ? accountStart(group.segments, starts) : -1;
  const last = end === -1 ? group.segments.length : end;
  const common = [...group.shared, ...group.segments.slice(0, first), ...group.segments.slice(last)];
  return starts.map((start, at) => ({
    group,
    own: group.segments.slice(start, starts[at + 1] ?? last),
    common,
    whole: false,
  }));
}

function wholeGroup(group: PatientGroup): Unit {
  return { group, own: group.segments, common: group.shared, whole: false };
}

/** The start of each event. Orders without ORC begin at their OBR; an ORC before an RXA belongs to it. */
function startsOf(segments: readonly Segment[], unit: Exclude<EventUnit, 'message'>): number[] {
  if (unit === 'administration') return orderedStarts(segments, FIRST_SEGMENTS[unit]);
  const starts = indexesOf(segments, FIRST_SEGMENTS[unit]);
  return starts.length === 0 && unit === 'order' ? indexesOf(segments, 'OBR') : starts;
}

function orderedStarts(segments: readonly Segment[], id: string): number[] {
  const starts: number[] = [];
  let order = -1;
  for (const [at, segment] of segments.entries()) {
    if (segment.id === 'ORC') order = at;
    if (segment.id !== id) continue;
    starts.push(order === -1 ? at : order);
    order = -1;
  }
  return starts;
}

function indexesOf(segments: readonly Segment[], id: string): number[] {
  return segments.flatMap((segment, at) => (segment.id === id ? [at] : []));
}

function accountStart(segments: readonly Segment[], starts: readonly number[]): number {
  const last = starts.at(-1) ?? 0;
  return segments.findIndex((segment, at) => at > last && ACCOUNT_SEGMENTS.has(segment.id));
}
