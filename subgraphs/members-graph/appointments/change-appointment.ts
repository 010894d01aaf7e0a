import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { MemberDirectory } from '../../../shared/contracts/members.js';
import type { ActorDirectory } from '../../../shared/contracts/tenants.js';
import { problem } from '../../../shared/errors/problem.js';
import { storedExtra } from '../../../shared/graph/extra.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { type RecordKind, type StepDeps, stepsOf } from '../../../shared/records/steps.js';
import { idsOfPerson, requireKnownActor } from '../records/index.js';
import {
  APPOINTMENT_MACHINE,
  CREATED_AS,
  type FirstStatus,
  type OutcomeAction,
  type PlanningAction,
} from './domain.js';
import { NO_PLAN, type PlanInput, placed, planned, refuse } from './plan.js';
import type { AppointmentStore, StoredAppointment } from './ports.js';

export interface AppointmentDeps extends StepDeps {
  readonly appointments: AppointmentStore;
  readonly directory: MemberDirectory;
  readonly actorDirectory: ActorDirectory;
}

const APPOINTMENT: RecordKind<StoredAppointment, 'appointment_id'> = {
  machine: APPOINTMENT_MACHINE,
  idKind: 'appointment',
  id: 'appointment_id',
  noun: 'appointment',
  family: 'appointment',
  // Member, practitioner and time are personal: the entry says only that the record changed.
  payload: ({ appointment_id }, step) => ({ appointment_id, ...step }),
  derived: (appointment) => placed(appointment.status, appointment, appointment.created_at),
};

const taken = () => problem('CONFLICT', { message: 'The practitioner has another appointment at that time.' });

const appointmentSteps = (deps: AppointmentDeps, context: RequestContext) =>
  stepsOf(APPOINTMENT, deps, context, deps.appointments(authorise(context, 'appointments:write')));

const ACTOR_PATH = '/practitioner/actor';

interface AppointmentRequest extends PlanInput {
  readonly member_id: string;
  readonly status?: FirstStatus;
  readonly service_type?: string;
  readonly reason?: string;
  readonly participants: StoredAppointment['participants'];
  readonly extra?: JsonObject;
}

/** Creates an appointment: booked by default, proposed without a time. @throws VALIDATION_ERROR, CONFLICT */
export function createAppointment(
  deps: AppointmentDeps,
  context: RequestContext,
  { member_id, service_type, reason, participants, extra, ...input }: AppointmentRequest,
): Promise<StoredAppointment> {
  const steps = appointmentSteps(deps, context);
  const plan = planned(NO_PLAN, input);
  const status = input.status ?? (plan.start === null ? 'proposed' : 'booked');
  const members = {
    member_id,
    service_type: service_type ?? null,
    ...plan,
    reason: reason ?? null,
    cancellation_reason: null,
    participants,
    ...storedExtra(extra),
  };
  const action = CREATED_AS[status];
  const made = async (_id: string, at: Date) => {
    await requireKnownActor(deps.actorDirectory, steps.rows.tenantId, ACTOR_PATH, plan.practitioner?.actor);
    return { ...members, ...placed(status, plan, at) };
  };
  return steps.create(made, { action, taken });
}

interface StepRequest {
  readonly id: string;
  readonly revision: number | undefined;
}

/** Sets time, practitioner or location. @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION, CONFLICT */
export const planAppointment = (
  deps: AppointmentDeps,
  context: RequestContext,
  { id, revision, action, plan }: StepRequest & { action: PlanningAction; plan: PlanInput },
): Promise<StoredAppointment> =>
  appointmentSteps(deps, context).take(id, action, {
    revision,
    taken,
    change: async (before) => {
      const changed = planned(before, plan);
      const { practitioner } = plan;
      await requireKnownActor(deps.actorDirectory, before.tenant_id, ACTOR_PATH, practitioner?.actor);
      if (action === 'reschedule' && plan.start === undefined) refuse('/start', 'A new time needs start and end.');
      return changed;
    },
  });

/** Records the outcome. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export const stepAppointment = (
  deps: AppointmentDeps,
  context: RequestContext,
  { id, revision, action, reason }: StepRequest & { action: OutcomeAction; reason: string | null },
): Promise<StoredAppointment> =>
  appointmentSteps(deps, context).take(id, action, {
    revision,
    taken,
    change: () => (action === 'cancel' ? { cancellation_reason: reason } : {}),
  });

type ReadDeps = Pick<AppointmentDeps, 'appointments' | 'directory'>;

/** Lists appointments by time. Finds a member under every identifier of the person. */
export async function listAppointments(
  { appointments, directory }: ReadDeps,
  context: RequestContext,
  {
    where: { practitioner, member_id, status },
    ...window
  }: Omit<ListQuery<StoredAppointment>, 'where'> & {
    readonly where: Partial<Pick<StoredAppointment, 'member_id' | 'status'>> & { readonly practitioner?: string };
  },
): Promise<Page<StoredAppointment>> {
  const tenantId = authorise(context, 'appointments:read');
  const member_ids = member_id === undefined ? undefined : await idsOfPerson(directory, tenantId, member_id);
  return appointments(tenantId).pageOf(practitioner, { ...window, where: { member_id: member_ids, status } });
}

/** @returns null for an unknown appointment and for another tenant's */
export async function getAppointment(
  { appointments }: Pick<ReadDeps, 'appointments'>,
  context: RequestContext,
  id: string,
): Promise<StoredAppointment | null> {
  const tenantId = authorise(context, 'appointments:read');
  return isIdOf('appointment', id) ? appointments(tenantId).get(id) : null;
}
