import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// Appointments of members (api.md section 6 "appointments"; states: FHIR R4 AppointmentStatus).

export const APPOINTMENT_STATUSES = [
  'proposed',
  'pending',
  'waitlist',
  'booked',
  'arrived',
  'checked-in',
  'fulfilled',
  'cancelled',
  'noshow',
  'entered-in-error',
] as const;
export type AppointmentStatus = (typeof APPOINTMENT_STATUSES)[number];

/** Statuses of new appointments, with the action that creates them. */
export const CREATED_AS = { proposed: 'propose', pending: 'request', waitlist: 'wait', booked: 'book' } as const;
export type FirstStatus = keyof typeof CREATED_AS;

/** Steps that set time and practitioner. */
export const PLANNING_ACTIONS = ['request', 'wait', 'book', 'reschedule'] as const;
export type PlanningAction = (typeof PLANNING_ACTIONS)[number];

/** Steps that record the outcome. */
export const OUTCOME_ACTIONS = ['arrive', 'check-in', 'fulfil', 'cancel', 'no-show', 'mark-in-error'] as const;
export type OutcomeAction = (typeof OUTCOME_ACTIONS)[number];

export type AppointmentAction = 'propose' | PlanningAction | OutcomeAction;

const row = (from: AppointmentStatus | null, action: AppointmentAction, to: AppointmentStatus, event: string) => ({
  from,
  action,
  to,
  scope: 'appointments:write' as const,
  emits: [`appointment.${event}`],
});
const moved = (from: AppointmentStatus) => row(from, 'reschedule', from, 'rescheduled');
const ends = (from: AppointmentStatus) => [
  row(from, 'cancel', 'cancelled', 'cancelled'),
  row(from, 'mark-in-error', 'entered-in-error', 'entered-in-error'),
];

export const APPOINTMENT_MACHINE = stateMachine<AppointmentStatus, AppointmentAction>('appointment', [
  row(null, 'propose', 'proposed', 'proposed'),
  row(null, 'request', 'pending', 'requested'),
  row(null, 'wait', 'waitlist', 'waitlisted'),
  row(null, 'book', 'booked', 'booked'),
  row('proposed', 'request', 'pending', 'requested'),
  row('proposed', 'wait', 'waitlist', 'waitlisted'),
  row('proposed', 'book', 'booked', 'booked'),
  moved('proposed'),
  ...ends('proposed'),
  row('pending', 'wait', 'waitlist', 'waitlisted'),
  row('pending', 'book', 'booked', 'booked'),
  moved('pending'),
  ...ends('pending'),
  row('waitlist', 'request', 'pending', 'requested'),
  row('waitlist', 'book', 'booked', 'booked'),
  moved('waitlist'),
  ...ends('waitlist'),
  moved('booked'),
  row('booked', 'arrive', 'arrived', 'arrived'),
  row('booked', 'check-in', 'checked-in', 'checked-in'),
  row('booked', 'fulfil', 'fulfilled', 'fulfilled'),
  row('booked', 'no-show', 'noshow', 'no-show'),
  ...ends('booked'),
  row('arrived', 'check-in', 'checked-in', 'checked-in'),
  row('arrived', 'fulfil', 'fulfilled', 'fulfilled'),
  ...ends('arrived'),
  row('checked-in', 'fulfil', 'fulfilled', 'fulfilled'),
  ...ends('checked-in'),
  row('fulfilled', 'mark-in-error', 'entered-in-error', 'entered-in-error'),
  row('cancelled', 'mark-in-error', 'entered-in-error', 'entered-in-error'),
  row('noshow', 'mark-in-error', 'entered-in-error', 'entered-in-error'),
]);

/** Statuses that reserve the practitioner's time. */
const RESERVING: ReadonlySet<AppointmentStatus> = new Set(['booked', 'arrived', 'checked-in', 'fulfilled']);
export const reservesTime = (status: AppointmentStatus): boolean => RESERVING.has(status);

const MINUTE_MS = 60_000;

/** Limits the index keys of one appointment: each reserved minute is a key. */
export const MAX_APPOINTMENT_MS = 24 * 60 * MINUTE_MS;

/** A practitioner: an NPI, an actor of the tenant, or a name. */
export interface Practitioner {
  readonly npi: string | null;
  readonly actor: string | null;
  readonly name: string | null;
}

/** Identifiers that two appointments must not share at one time. */
const practitionerKeys = ({ npi, actor }: Practitioner): string[] => [
  ...(npi === null ? [] : [`npi:${npi}`]),
  ...(actor === null ? [] : [`actor:${actor}`]),
];

/**
 * Returns a key for every reserved minute of a practitioner. Two intervals overlap exactly if they share a minute, so a unique
 * index over the keys prevents overlaps. Covers the minutes from `start` up to `end`, at least one.
 */
export function slotClaims(practitioner: Practitioner, start: Date, end: Date): string[] {
  const first = Math.floor(start.getTime() / MINUTE_MS);
  const last = Math.max(first + 1, Math.floor(end.getTime() / MINUTE_MS));
  const minutes = Array.from({ length: last - first }, (_, n) => first + n);
  return practitionerKeys(practitioner).flatMap((key) => minutes.map((minute) => `${key}@${minute}`));
}
