import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField, OpenShape } from '../../../shared/graph/contract-field.js';
import { EXTRA, EXTRA_INPUT, EXTRA_ROW } from '../../../shared/graph/extra.js';
import { inputOf, Member, outputOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import { ACTOR, MEMBER, MemberRecordStep, NAME, NPI, PERSON_FILTER, REVISION, TEXT } from '../records/schema.js';
import { APPOINTMENT_STATUSES, type AppointmentStatus, CREATED_AS, type FirstStatus } from './domain.js';

const TIME = { example: '2026-04-01T15:00:00.000Z', format: 'date-time' } as const;
const ZONE = { example: 'America/Chicago', minLength: 1, maxLength: 64 };
const SERVICE = { example: 'PEER_TO_PEER', minLength: 1, maxLength: 128 };
const LOCATION = { example: 'Room 4', minLength: 1, maxLength: 512 };
const REFERENCE = { example: 'act_01JQ0000000000000000000001', minLength: 1, maxLength: 256 };
const PARTICIPATION = { example: 'accepted', enum: ['accepted', 'declined', 'tentative', 'needs-action'] };

abstract class PractitionerMembers {
  @Member(() => String, { description: 'National provider identifier.', nullable: true, ...NPI, shown: NPI })
  npi!: string | null;

  @Member(() => String, { description: 'The actor.', nullable: true, ...ACTOR, shown: ACTOR })
  actor!: string | null;

  @Member(() => String, { description: 'Name.', nullable: true, ...NAME, shown: NAME })
  name!: string | null;
}

@RecordInput({ description: 'The practitioner: NPI, actor or both. A name alone reserves no time.' })
class PractitionerInput extends inputOf(PractitionerMembers) {}

@RecordType({ description: 'The practitioner.' })
class AppointmentPractitioner extends outputOf(PractitionerMembers) {}

@InputType({ description: 'Another participant.' })
class AppointmentParticipantInput {
  @ContractField(() => String, { description: 'Actor, NPI or name.', ...REFERENCE })
  reference!: string;

  @ContractField(() => String, { description: 'Role.', optional: true, minLength: 1, maxLength: 128 })
  role?: string;

  @ContractField(() => String, { description: 'Participation; default accepted.', optional: true, ...PARTICIPATION })
  status?: string;
}

@ObjectType({ description: 'Another participant.' })
class AppointmentParticipant {
  @ContractField(() => String, { description: 'Actor, NPI or name.', ...REFERENCE })
  reference!: string;

  @ContractField(() => String, { description: 'Role.', nullable: true })
  role!: string | null;

  @ContractField(() => String, { description: 'Participation.', ...PARTICIPATION })
  status!: string;
}

/** Time and place of an appointment. */
abstract class PlanMembers {
  @Member(() => String, { description: 'Start; requires `end`.', nullable: true, ...TIME, shown: TIME })
  start!: string | null;

  @Member(() => String, { description: 'End, at most 24 hours after the start.', nullable: true, ...TIME, shown: TIME })
  end!: string | null;

  @Member(() => String, { description: 'Time zone (IANA).', nullable: true, ...ZONE, shown: ZONE })
  timezone!: string | null;

  @Member(() => String, { description: 'Location.', nullable: true, ...LOCATION, shown: LOCATION })
  location!: string | null;
}

@OpenShape()
@RecordInput({ description: 'A new appointment.' })
export class AppointmentInput extends inputOf(PlanMembers) {
  @ContractField(() => String, { description: 'Member to see.', ...MEMBER })
  member_id!: string;

  @ContractField(() => PractitionerInput, { description: 'The practitioner.', optional: true })
  practitioner?: PractitionerInput;

  @ContractField(() => String, {
    description: 'Status; default booked, or proposed without a time.',
    optional: true,
    example: 'booked',
    enum: Object.keys(CREATED_AS),
  })
  status?: FirstStatus;

  @ContractField(() => String, { description: 'Kind of service.', optional: true, ...SERVICE })
  service_type?: string;

  @ContractField(() => String, { description: 'Reason for the appointment.', optional: true, ...TEXT })
  reason?: string;

  @ContractField(() => [AppointmentParticipantInput], {
    description: 'Other participants.',
    optional: true,
    maxItems: 50,
  })
  participants?: AppointmentParticipantInput[];

  @ContractField(() => JsonScalar, EXTRA_INPUT)
  extra?: JsonObject;
}

@RecordInput({ description: 'A step that sets time, practitioner or location.' })
export class AppointmentPlanStep extends inputOf(PlanMembers) {
  @ContractField(() => PractitionerInput, { description: 'The practitioner.', optional: true })
  practitioner?: PractitionerInput;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@RecordType({ description: 'An appointment of a member (FHIR R4 Appointment).' })
export class Appointment extends outputOf(PlanMembers, RecordMembers) {
  @ContractField(() => String, { description: 'Identifier.', example: 'apt_01JQ0000000000000000000001' })
  appointment_id!: string;

  @ContractField(() => String, { description: 'Member, as given.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'Status (FHIR).', example: 'booked', enum: [...APPOINTMENT_STATUSES] })
  status!: AppointmentStatus;

  @ContractField(() => String, { description: 'Kind of service.', nullable: true, ...SERVICE })
  service_type!: string | null;

  @ContractField(() => AppointmentPractitioner, { description: 'The practitioner.', nullable: true })
  practitioner!: AppointmentPractitioner | null;

  @ContractField(() => String, { description: 'Reason for the appointment.', nullable: true })
  reason!: string | null;

  @ContractField(() => String, { description: 'Reason for the cancellation.', nullable: true })
  cancellation_reason!: string | null;

  @ContractField(() => [AppointmentParticipant], { description: 'Other participants.' })
  participants!: AppointmentParticipant[];

  @ContractField(() => JsonScalar, EXTRA)
  extra?: JsonObject;

  @ContractField(() => [MemberRecordStep], { description: 'Steps, oldest first.' })
  history!: MemberRecordStep[];
}

export const APPOINTMENT_ROW = rowCheckOf(Appointment, {
  own: { ...EXTRA_ROW.own, start: 'time?', end: 'time?', takes_place: 'time', claims: 'json', is_claiming: 'flag' },
  optional: EXTRA_ROW.optional,
});

export const AppointmentPage = pageType('AppointmentPage', () => Appointment);

@ArgsType()
export class AppointmentFilter extends PageArgs {
  @ContractField(() => String, PERSON_FILTER)
  member_id?: string;

  @ContractField(() => String, {
    description: 'Only appointments with this NPI or actor.',
    optional: true,
    maxLength: 64,
  })
  practitioner?: string;

  @ContractField(() => String, {
    description: 'Only appointments with this status.',
    optional: true,
    enum: [...APPOINTMENT_STATUSES],
  })
  status?: AppointmentStatus;

  @ContractField(() => String, { description: 'Starting at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Starting before this time.', optional: true, format: 'date-time' })
  to?: string;
}
