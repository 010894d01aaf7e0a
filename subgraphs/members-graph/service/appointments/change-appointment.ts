import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { problem } from '../../../../shared/errors/problem.js';
import { transition } from '../../../../shared/state-machine/state-machine.js';
import {
  APPOINTMENT_MACHINE,
  type AppointmentAction,
  type FirstStatus,
  MADE_AS,
  type OutcomeAction,
  type PlanningAction,
} from '../../domain/appointments/appointment.js';
import type { AppointmentParticipant, AppointmentStore, StoredAppointment } from '../ports/appointment-store.js';
import { freshRecord, type RecordKind, type StepDeps, stepped, takeStep } from '../records/take-step.js';
import { NO_PLAN, type PlanGiven, placed, planned, refuse } from './appointment-plan.js';

export interface AppointmentDeps extends StepDeps {
  readonly appointments: AppointmentStore;
}

const KIND: RecordKind = {
  machine: APPOINTMENT_MACHINE,
  idKind: 'appointment',
  idName: 'appointment_id',
  family: 'appointment',
};

const slotTaken = () => problem('CONFLICT', { message: 'The practitioner has another appointment at that time.' });

export interface AppointmentGiven extends PlanGiven {
  readonly member_id: string;
  readonly status?: FirstStatus;
  readonly service_type?: string;
  readonly reason?: string;
  readonly participants?: readonly AppointmentParticipant[];
}

/** Makes an appointment: booked where it has a time, proposed where it has none, unless told. @throws VALIDATION_ERROR, CONFLICT */
export async function createAppointment(
  deps: AppointmentDeps,
  context: RequestContext,
  given: AppointmentGiven,
): Promise<StoredAppointment> {
  const tenant_id = authorise(context, 'appointments:write');
  const plan = planned(NO_PLAN, given);
  const first = given.status ?? (plan.start === null ? 'proposed' : 'booked');
  const fresh = freshRecord(deps, context, KIND);
  const record: StoredAppointment = {
    ...fresh,
    tenant_id,
    member_id: given.member_id,
    status: first,
    service_type: given.service_type ?? null,
    ...plan,
    ...placed(first, plan, fresh.created_at),
    reason: given.reason ?? null,
    cancellation_reason: null,
    participants: [...(given.participants ?? [])],
  };
  const rows = deps.appointments(tenant_id);
  const write = stepped(deps, context, KIND, { from: null, record, action: MADE_AS[first] });
  if ((await rows.insert(write)) === 'written') {
    await rows.relay(write);
    return write.record;
  }
  // Its own identifier is taken only when this very request has run before: what it made is the answer.
  const standing = await rows.get(record.id);
  if (standing === null) throw slotTaken();
  return standing;
}

export interface AppointmentStepGiven {
  readonly id: string;
  readonly revision: number | undefined;
}

/** Says when and with whom. @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION, CONFLICT where the time is taken */
export const planAppointment = (
  deps: AppointmentDeps,
  context: RequestContext,
  { action, plan: given, ...asked }: AppointmentStepGiven & { action: PlanningAction; plan: PlanGiven },
): Promise<StoredAppointment> =>
  step(deps, context, { ...asked, action }, (standing) => {
    const plan = planned(standing, given);
    if (action === 'reschedule' && given.start === undefined) refuse('/start', 'A new time has a start and an end.');
    return { ...standing, ...plan };
  });

/** Says what became of it. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export const stepAppointment = (
  deps: AppointmentDeps,
  context: RequestContext,
  { action, reason, ...asked }: AppointmentStepGiven & { action: OutcomeAction; reason: string | null },
): Promise<StoredAppointment> =>
  step(deps, context, { ...asked, action }, (standing) =>
    action === 'cancel' ? { ...standing, cancellation_reason: reason } : standing,
  );

function step(
  deps: AppointmentDeps,
  context: RequestContext,
  asked: AppointmentStepGiven & { readonly action: AppointmentAction },
  change: (standing: StoredAppointment) => StoredAppointment,
): Promise<StoredAppointment> {
  const rows = deps.appointments(authorise(context, 'appointments:write'));
  return takeStep({ ...deps, rows }, context, KIND, asked, {
    change: (standing) => {
      const changed = change(standing);
      const { to } = transition(APPOINTMENT_MACHINE, standing.status, asked.action);
      return { ...changed, ...placed(to, changed, standing.created_at) };
    },
    taken: slotTaken,
  });
}
