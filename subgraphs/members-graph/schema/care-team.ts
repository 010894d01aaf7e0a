import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import {
  CARE_TEAM_STATUSES,
  type CareTeamStatus,
  ENTERED_AS,
  type FirstCareTeamStatus,
} from '../domain/care-team/care-team-entry.js';
import { ACTOR, MEMBER, NAME, NPI, TEXT } from './appointment-input.js';
import { MemberRecordStep } from './step-line.js';

const STAMP = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const ROLE = { example: 'PRIMARY_CARE', minLength: 1, maxLength: 128 };
const ORGANIZATION = { example: 'Lakeside Clinic', minLength: 1, maxLength: 256 };

@InputType({ description: 'From start on, and before end; open where it has none.' })
export class CareTeamPeriodInput {
  @ContractField(() => String, { description: 'When it begins.', optional: true, ...STAMP })
  start?: string;

  @ContractField(() => String, { description: 'When it is over.', optional: true, ...STAMP })
  end?: string;
}

@InputType({ description: 'Somebody to put into a care team: npi, actor, name or organization says who.' })
export class CareTeamEntryInput {
  @ContractField(() => String, { description: 'Who is cared for.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'As what.', ...ROLE })
  role!: string;

  @ContractField(() => String, {
    description: 'active unless told.',
    optional: true,
    example: 'active',
    enum: Object.keys(ENTERED_AS),
  })
  status?: FirstCareTeamStatus;

  @ContractField(() => String, { description: 'National provider identifier.', optional: true, ...NPI })
  npi?: string;

  @ContractField(() => String, { description: 'The actor.', optional: true, ...ACTOR })
  actor?: string;

  @ContractField(() => String, { description: 'How they are called.', optional: true, ...NAME })
  name?: string;

  @ContractField(() => String, { description: 'On behalf of whom.', optional: true, ...ORGANIZATION })
  organization?: string;

  @ContractField(() => CareTeamPeriodInput, { description: 'Since when, and until when.', optional: true })
  period?: CareTeamPeriodInput;

  @ContractField(() => String, { description: 'A remark.', optional: true, ...TEXT })
  note?: string;
}

@ObjectType({ description: 'Since when, and until when.' })
export class CareTeamPeriod {
  @ContractField(() => String, { description: 'From then on.', nullable: true, ...STAMP })
  start!: string | null;

  @ContractField(() => String, { description: 'Before then.', nullable: true, ...STAMP })
  end!: string | null;
}

@ObjectType({ description: 'Somebody who cares for a member (FHIR R4 CareTeam).' })
export class CareTeamEntry {
  @ContractField(() => String, { description: 'Identifier.', example: 'ctm_01JQ0000000000000000000001' })
  care_team_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Who is cared for, as it was written.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'As what.', ...ROLE })
  role!: string;

  @ContractField(() => String, {
    description: 'As FHIR names them.',
    example: 'active',
    enum: [...CARE_TEAM_STATUSES],
  })
  status!: CareTeamStatus;

  @ContractField(() => String, { description: 'National provider identifier.', nullable: true, ...NPI })
  npi!: string | null;

  @ContractField(() => String, { description: 'The actor.', nullable: true, ...ACTOR })
  actor!: string | null;

  @ContractField(() => String, { description: 'How they are called.', nullable: true, ...NAME })
  name!: string | null;

  @ContractField(() => String, { description: 'On behalf of whom.', nullable: true, ...ORGANIZATION })
  organization!: string | null;

  @ContractField(() => CareTeamPeriod, { description: 'Since when, and until when.' })
  period!: CareTeamPeriod;

  @ContractField(() => String, { description: 'A remark.', nullable: true })
  note!: string | null;

  @ContractField(() => String, { description: 'Why it was ended.', nullable: true })
  ended_reason!: string | null;

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['suspend', 'end'] })
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

export const CareTeamPage = pageType('CareTeamPage', () => CareTeamEntry);

@ArgsType()
export class CareTeamFilter extends PageArgs {
  @ContractField(() => String, {
    description: 'Only of this person, under whatever identifier.',
    optional: true,
    maxLength: 256,
  })
  member_id?: string;

  @ContractField(() => String, { description: 'Only this NPI or actor.', optional: true, maxLength: 64 })
  practitioner?: string;

  @ContractField(() => String, { description: 'Only these.', optional: true, enum: [...CARE_TEAM_STATUSES] })
  status?: CareTeamStatus;

  @ContractField(() => String, { description: 'Noted at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Noted before this time.', optional: true, format: 'date-time' })
  to?: string;
}
