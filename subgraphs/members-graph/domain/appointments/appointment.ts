import { stateMachine } from '../../../../shared/state-machine/state-machine.js';

// When a member is to be seen, by whom and where (api.md section 6 "appointments"; states: FHIR R4 AppointmentStatus).

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

/** Those that an appointment may be made in, and the action that makes it so. */
export const MADE_AS = { proposed: 'propose', pending: 'request', waitlist: 'wait', booked: 'book' } as const;
export type FirstStatus = keyof typeof MADE_AS;

/** Steps that say when and with whom. */
export const PLANNING_ACTIONS = ['request', 'wait', 'book', 'reschedule'] as const;
export type PlanningAction = (typeof PLANNING_ACTIONS)[number];

/** Steps that say what became of it. */
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

/** In these it takes its practitioner's time; in all others anybody may have it. */
const BUSY: ReadonlySet<AppointmentStatus> = new Set(['booked', 'arrived', 'checked-in', 'fulfilled']);
export const takesTime = (status: AppointmentStatus): boolean => BUSY.has(status);
