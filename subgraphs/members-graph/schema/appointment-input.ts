import { ArgsType, InputType, Int } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs } from '../../../shared/graph/page.js';
import {
  APPOINTMENT_STATUSES,
  type AppointmentStatus,
  type FirstStatus,
  MADE_AS,
} from '../domain/appointments/appointment.js';

export const TIME = { example: '2026-04-01T15:00:00.000Z', format: 'date-time' } as const;
export const MEMBER = { example: 'M-1', minLength: 1, maxLength: 256 };
export const NPI = { example: '1234567893', pattern: '^[0-9]{10}$' };
export const ACTOR = { example: 'act_01JQ0000000000000000000001', minLength: 1, maxLength: 64 };
export const NAME = { example: 'Dr. A. Okafor', minLength: 1, maxLength: 256 };
export const ZONE = { example: 'America/Chicago', minLength: 1, maxLength: 64 };
export const TYPE = { example: 'PEER_TO_PEER', minLength: 1, maxLength: 128 };
export const TEXT = { maxLength: 2_000 };
export const PLACE = { example: 'Room 4', minLength: 1, maxLength: 512 };
export const REFERENCE = { example: 'act_01JQ0000000000000000000001', minLength: 1, maxLength: 256 };
export const PARTICIPATION = { example: 'accepted', enum: ['accepted', 'declined', 'tentative', 'needs-action'] };
export const REVISION = {
  description: 'The revision that this is done on; CONFLICT when another one stands.',
  optional: true,
  minimum: 1,
} as const;

@InputType({ description: 'Who sees the member: NPI, actor or both; a name alone keeps no time free.' })
export class PractitionerInput {
  @ContractField(() => String, { description: 'National provider identifier.', optional: true, ...NPI })
  npi?: string;

  @ContractField(() => String, { description: 'The actor.', optional: true, ...ACTOR })
  actor?: string;

  @ContractField(() => String, { description: 'How they are called.', optional: true, ...NAME })
  name?: string;
}

@InputType({ description: 'Somebody else who takes part.' })
export class AppointmentParticipantInput {
  @ContractField(() => String, { description: 'Who: an actor, an NPI, a name.', ...REFERENCE })
  reference!: string;

  @ContractField(() => String, { description: 'As what.', optional: true, minLength: 1, maxLength: 128 })
  role?: string;

  @ContractField(() => String, { description: 'accepted unless told.', optional: true, ...PARTICIPATION })
  status?: string;
}

/** When, with whom and where; inputs that say it are declared by `declarePlan`, since graph inputs inherit no limits. */
export class AppointmentPlan {
  start?: string;
  end?: string;
  timezone?: string;
  practitioner?: PractitionerInput;
  location?: string;
}

function declarePlan(target: { readonly prototype: AppointmentPlan }): void {
  const declare = (name: keyof AppointmentPlan, field: PropertyDecorator): void => field(target.prototype, name);
  const optional = true;
  declare(
    'start',
    ContractField(() => String, { description: 'When it begins; with `end`.', optional, ...TIME }),
  );
  declare(
    'end',
    ContractField(() => String, { description: 'When it is over; 24 hours later at most.', optional, ...TIME }),
  );
  declare(
    'timezone',
    ContractField(() => String, { description: 'Zone that it is told in.', optional, ...ZONE }),
  );
  declare(
    'practitioner',
    ContractField(() => PractitionerInput, { description: 'Who sees the member.', optional }),
  );
  declare(
    'location',
    ContractField(() => String, { description: 'Where.', optional, ...PLACE }),
  );
}

@InputType({ description: 'An appointment to make.' })
export class AppointmentInput extends AppointmentPlan {
  @ContractField(() => String, { description: 'Who is seen.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, {
    description: 'booked unless told; proposed where it has no time.',
    optional: true,
    example: 'booked',
    enum: Object.keys(MADE_AS),
  })
  status?: FirstStatus;

  @ContractField(() => String, { description: 'What for, by kind.', optional: true, ...TYPE })
  service_type?: string;

  @ContractField(() => String, { description: 'Why, in words.', optional: true, ...TEXT })
  reason?: string;

  @ContractField(() => [AppointmentParticipantInput], { description: 'Who else.', optional: true, maxItems: 50 })
  participants?: AppointmentParticipantInput[];
}
declarePlan(AppointmentInput);

@InputType({ description: 'A step that says when, with whom and where.' })
export class AppointmentPlanStep extends AppointmentPlan {
  @ContractField(() => Int, REVISION)
  revision?: number;
}
declarePlan(AppointmentPlanStep);

@InputType({ description: 'A step of a record about a member.' })
export class MemberRecordStepInput {
  @ContractField(() => String, { description: 'Why, in words; kept where it ends.', optional: true, ...TEXT })
  reason?: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@ArgsType()
export class AppointmentFilter extends PageArgs {
  @ContractField(() => String, {
    description: 'Only of this person, under whatever identifier.',
    optional: true,
    maxLength: 256,
  })
  member_id?: string;

  @ContractField(() => String, { description: 'Only with this NPI or actor.', optional: true, maxLength: 64 })
  practitioner?: string;

  @ContractField(() => String, { description: 'Only these.', optional: true, enum: [...APPOINTMENT_STATUSES] })
  status?: AppointmentStatus;

  @ContractField(() => String, { description: 'Beginning at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Beginning before this time.', optional: true, format: 'date-time' })
  to?: string;
}
