import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { shownExtra } from '../../../shared/graph/extra.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { shownPeriod } from '../records/domain.js';
import { parseWord } from '../records/index.js';
import { MemberRecordStepInput } from '../records/schema.js';
import {
  type AppointmentDeps,
  createAppointment,
  getAppointment,
  listAppointments,
  planAppointment,
  stepAppointment,
} from './change-appointment.js';
import { APPOINTMENT_MACHINE, OUTCOME_ACTIONS, PLANNING_ACTIONS } from './domain.js';
import type { PlanInput } from './plan.js';
import type { StoredAppointment } from './ports.js';
import { Appointment, AppointmentFilter, AppointmentInput, AppointmentPage, AppointmentPlanStep } from './schema.js';

export const shownAppointment = showing(Appointment, ({ status, start, end, extra }: StoredAppointment) => ({
  ...shownExtra(extra),
  ...shownPeriod({ start, end }),
  allowed_actions: allowedActions(APPOINTMENT_MACHINE, status),
}));

const ID = { description: 'Identifier of the appointment.' };

@Resolver()
export class AppointmentResolver {
  readonly #deps: AppointmentDeps;

  constructor(deps: AppointmentDeps) {
    this.#deps = deps;
  }

  @Query(() => AppointmentPage, { description: 'Lists the appointments of the tenant.' })
  async appointments(
    @Args(() => AppointmentFilter) filter: AppointmentFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Appointment>> {
    return mapPage(await listAppointments(this.#deps, context, listQueryOf(filter)), shownAppointment);
  }

  @Query(() => Appointment, { nullable: true, description: 'Returns an appointment.' })
  async appointment(
    @Arg('appointment_id', () => String, ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Appointment | null> {
    const found = await getAppointment(this.#deps, context, id);
    return found && shownAppointment(found);
  }

  @Mutation(() => Appointment, { description: 'Creates an appointment.' })
  async createAppointment(
    @Arg('input', () => AppointmentInput) input: AppointmentInput,
    @Ctx() context: RequestContext,
  ): Promise<Appointment> {
    const { member_id, status, service_type, reason, participants, extra } = input;
    const request = {
      member_id,
      ...withoutNulls({ status, service_type, reason, extra }),
      ...planOf(input),
      participants: (participants ?? []).map(({ reference, role, status: will }) => ({
        reference,
        role: role ?? null,
        status: will ?? 'accepted',
      })),
    };
    return shownAppointment(await createAppointment(this.#deps, context, request));
  }

  @Mutation(() => Appointment, { description: 'Sets time, practitioner or location of an appointment.' })
  async planAppointment(
    @Arg('appointment_id', () => String, ID) id: string,
    @Arg('action', () => String, { description: `One of ${PLANNING_ACTIONS.join(', ')}.` }) action: string,
    @Arg('input', () => AppointmentPlanStep) input: AppointmentPlanStep,
    @Ctx() context: RequestContext,
  ): Promise<Appointment> {
    const request = { id, action: parseWord('action', PLANNING_ACTIONS, action), plan: planOf(input) };
    const planned = planAppointment(this.#deps, context, { ...request, revision: input.revision ?? undefined });
    return shownAppointment(await planned);
  }

  @Mutation(() => Appointment, { description: 'Records the outcome of an appointment.' })
  async stepAppointment(
    @Arg('appointment_id', () => String, ID) id: string,
    @Arg('action', () => String, { description: `One of ${OUTCOME_ACTIONS.join(', ')}.` }) action: string,
    @Arg('input', () => MemberRecordStepInput) { reason, revision }: MemberRecordStepInput,
    @Ctx() context: RequestContext,
  ): Promise<Appointment> {
    const request = { id, action: parseWord('action', OUTCOME_ACTIONS, action), reason: reason ?? null };
    const stepped = stepAppointment(this.#deps, context, { ...request, revision: revision ?? undefined });
    return shownAppointment(await stepped);
  }
}

const planOf = ({ practitioner, start, end, timezone, location }: AppointmentPlanStep): PlanInput => ({
  ...withoutNulls({ start, end, timezone, location }),
  ...(practitioner == null ? {} : { practitioner: withoutNulls(practitioner) }),
});
