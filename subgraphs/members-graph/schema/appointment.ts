import { Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType } from '../../../shared/graph/page.js';
import { APPOINTMENT_STATUSES, type AppointmentStatus } from '../domain/appointments/appointment.js';
import { ACTOR, MEMBER, NAME, NPI, PARTICIPATION, PLACE, REFERENCE, TIME, TYPE, ZONE } from './appointment-input.js';
import { MemberRecordStep } from './step-line.js';

const STAMP = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;

@ObjectType({ description: 'Who sees the member.' })
export class AppointmentPractitioner {
  @ContractField(() => String, { description: 'National provider identifier.', nullable: true, ...NPI })
  npi!: string | null;

  @ContractField(() => String, { description: 'The actor.', nullable: true, ...ACTOR })
  actor!: string | null;

  @ContractField(() => String, { description: 'How they are called.', nullable: true, ...NAME })
  name!: string | null;
}

@ObjectType({ description: 'Somebody else who takes part.' })
export class AppointmentParticipant {
  @ContractField(() => String, { description: 'Who.', ...REFERENCE })
  reference!: string;

  @ContractField(() => String, { description: 'As what.', nullable: true })
  role!: string | null;

  @ContractField(() => String, { description: 'Whether they will.', ...PARTICIPATION })
  status!: string;
}

@ObjectType({ description: 'When a member is to be seen, by whom and where (FHIR R4 Appointment).' })
export class Appointment {
  @ContractField(() => String, { description: 'Identifier.', example: 'apt_01JQ0000000000000000000001' })
  appointment_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Who is seen, as it was written.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, {
    description: 'As FHIR names them.',
    example: 'booked',
    enum: [...APPOINTMENT_STATUSES],
  })
  status!: AppointmentStatus;

  @ContractField(() => String, { description: 'What for, by kind.', nullable: true, ...TYPE })
  service_type!: string | null;

  @ContractField(() => AppointmentPractitioner, { description: 'Who sees the member.', nullable: true })
  practitioner!: AppointmentPractitioner | null;

  @ContractField(() => String, { description: 'When it begins.', nullable: true, ...TIME })
  start!: string | null;

  @ContractField(() => String, { description: 'When it is over.', nullable: true, ...TIME })
  end!: string | null;

  @ContractField(() => String, { description: 'Zone that it is told in.', nullable: true, ...ZONE })
  timezone!: string | null;

  @ContractField(() => String, { description: 'Where.', nullable: true, ...PLACE })
  location!: string | null;

  @ContractField(() => String, { description: 'Why, in words.', nullable: true })
  reason!: string | null;

  @ContractField(() => String, { description: 'Why it was cancelled.', nullable: true })
  cancellation_reason!: string | null;

  @ContractField(() => [AppointmentParticipant], { description: 'Who else takes part.' })
  participants!: AppointmentParticipant[];

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['reschedule', 'cancel'] })
  allowed_actions!: string[];

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was noted.', ...STAMP })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', ...STAMP })
  updated_at!: string;

  @ContractField(() => [MemberRecordStep], { description: 'Its steps, oldest first.' })
  history!: MemberRecordStep[];
}

export const AppointmentPage = pageType('AppointmentPage', () => Appointment);
