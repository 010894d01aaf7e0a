import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import {
  APPOINTMENT_MACHINE,
  OUTCOME_ACTIONS,
  type OutcomeAction,
  PLANNING_ACTIONS,
  type PlanningAction,
} from '../domain/appointments/appointment.js';
import { Appointment, AppointmentPage } from '../schema/appointment.js';
import {
  AppointmentFilter,
  AppointmentInput,
  type AppointmentPlan,
  AppointmentPlanStep,
  MemberRecordStepInput,
} from '../schema/appointment-input.js';
import type { PlanGiven } from '../service/appointments/appointment-plan.js';
import {
  type AppointmentDeps,
  createAppointment,
  planAppointment,
  stepAppointment,
} from '../service/appointments/change-appointment.js';
import {
  getAppointment,
  listAppointments,
  type ReadAppointmentDeps,
} from '../service/appointments/read-appointments.js';
import type { StoredAppointment } from '../service/ports/appointment-store.js';
import { windowed } from './list-window.js';
import { oneOf } from './one-of.js';
import { iso, isoOrNull, shownSteps } from './shown-steps.js';

export interface AppointmentResolverDeps extends AppointmentDeps, ReadAppointmentDeps {}

const ID = { description: 'The appointment.' };

@Resolver()
export class AppointmentResolver {
  readonly #deps: AppointmentResolverDeps;

  constructor(deps: AppointmentResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => AppointmentPage, { description: 'Appointments of the tenant.' })
  async appointments(
    @Args(() => AppointmentFilter) filter: AppointmentFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Appointment>> {
    const page = await listAppointments(this.#deps, context, windowed(filter));
    return { items: page.items.map(shownAppointment), next_cursor: page.next_cursor };
  }

  @Query(() => Appointment, { nullable: true, description: 'An appointment.' })
  async appointment(
    @Arg('appointment_id', () => String, ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Appointment | null> {
    const found = await getAppointment(this.#deps, context, id);
    return found === null ? null : shownAppointment(found);
  }

  @Mutation(() => Appointment, { description: 'Makes an appointment.' })
  async createAppointment(
    @Arg('input', () => AppointmentInput) input: AppointmentInput,
    @Ctx() context: RequestContext,
  ): Promise<Appointment> {
    const { member_id, status, service_type, reason, participants, ...plan } = input;
    const given = {
      member_id,
      ...withoutNulls({ status, service_type, reason }),
      ...planOf(plan),
      participants: (participants ?? []).map(({ reference, role, status: will }) => ({
        reference,
        role: role ?? null,
        status: will ?? 'accepted',
      })),
    };
    return shownAppointment(await createAppointment(this.#deps, context, given));
  }

  @Mutation(() => Appointment, { description: 'Says when an appointment is, with whom and where.' })
  async planAppointment(
    @Arg('appointment_id', () => String, ID) id: string,
    @Arg('action', () => String, { description: PLANNING_ACTIONS.join(', ') }) action: string,
    @Arg('input', () => AppointmentPlanStep) { revision, ...plan }: AppointmentPlanStep,
    @Ctx() context: RequestContext,
  ): Promise<Appointment> {
    const asked = { id, action: oneOf<PlanningAction>('action', PLANNING_ACTIONS, action), plan: planOf(plan) };
    return shownAppointment(await planAppointment(this.#deps, context, { ...asked, revision: revision ?? undefined }));
  }

  @Mutation(() => Appointment, { description: 'Says what became of an appointment.' })
  async stepAppointment(
    @Arg('appointment_id', () => String, ID) id: string,
    @Arg('action', () => String, { description: OUTCOME_ACTIONS.join(', ') }) action: string,
    @Arg('input', () => MemberRecordStepInput) { reason, revision }: MemberRecordStepInput,
    @Ctx() context: RequestContext,
  ): Promise<Appointment> {
    const asked = { id, action: oneOf<OutcomeAction>('action', OUTCOME_ACTIONS, action), reason: reason ?? null };
    return shownAppointment(await stepAppointment(this.#deps, context, { ...asked, revision: revision ?? undefined }));
  }
}

function planOf({ practitioner, start, end, timezone, location }: AppointmentPlan): PlanGiven {
  return {
    ...withoutNulls({ start, end, timezone, location }),
    ...(practitioner == null ? {} : { practitioner: withoutNulls(practitioner) }),
  };
}

/** An appointment as it is shown. */
export function shownAppointment(stored: StoredAppointment): Appointment {
  const { id, takes_place: _, claims: _claims, is_claiming: _is, start, end, created_at, updated_at, ...rest } = stored;
  return {
    ...rest,
    appointment_id: id,
    start: isoOrNull(start),
    end: isoOrNull(end),
    participants: [...rest.participants],
    allowed_actions: allowedActions(APPOINTMENT_MACHINE, rest.status),
    created_at: iso(created_at),
    updated_at: iso(updated_at),
    history: shownSteps(rest.history),
  };
}
