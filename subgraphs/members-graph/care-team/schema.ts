import { ArgsType, InputType, ObjectType } from 'type-graphql';
import { ContractField, OpenShape } from '../../../shared/graph/contract-field.js';
import { EXTRA, EXTRA_INPUT, EXTRA_ROW } from '../../../shared/graph/extra.js';
import { inputOf, Member, outputOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { pageType, WindowArgs } from '../../../shared/graph/page.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import { ACTOR, MEMBER, MemberRecordStep, NAME, NPI, PERSON_FILTER, TEXT, TIME } from '../records/schema.js';
import { CARE_TEAM_STATUSES, type CareTeamStatus, CREATED_AS, type FirstCareTeamStatus } from './domain.js';

const ROLE = { example: 'PRIMARY_CARE', minLength: 1, maxLength: 128 };
const ORGANIZATION = { example: 'Lakeside Clinic', minLength: 1, maxLength: 256 };

@InputType({ description: 'A period from start (inclusive) to end (exclusive); an absent bound is open.' })
class CareTeamPeriodInput {
  @ContractField(() => String, { description: 'Start.', optional: true, ...TIME })
  start?: string;

  @ContractField(() => String, { description: 'End.', optional: true, ...TIME })
  end?: string;
}

@ObjectType({ description: 'A period from start (inclusive) to end (exclusive); null is open.' })
class CareTeamPeriod {
  @ContractField(() => String, { description: 'Start.', nullable: true, ...TIME })
  start!: string | null;

  @ContractField(() => String, { description: 'End.', nullable: true, ...TIME })
  end!: string | null;
}

/** The members that callers give to an entry. */
export abstract class CareTeamMembers {
  @Member(() => String, { description: 'Member, as given.', ...MEMBER, shown: MEMBER })
  member_id!: string;

  @Member(() => String, { description: 'Role of the carer.', ...ROLE, shown: ROLE })
  role!: string;

  @Member(() => String, { description: 'National provider identifier.', nullable: true, ...NPI, shown: NPI })
  npi!: string | null;

  @Member(() => String, { description: 'The actor.', nullable: true, ...ACTOR, shown: ACTOR })
  actor!: string | null;

  @Member(() => String, { description: 'Name.', nullable: true, ...NAME, shown: NAME })
  name!: string | null;

  @Member(() => String, { description: 'Organization.', nullable: true, ...ORGANIZATION, shown: ORGANIZATION })
  organization!: string | null;

  @Member(() => String, { description: 'Note.', nullable: true, ...TEXT })
  note!: string | null;
}

@OpenShape()
@RecordInput({ description: 'A new entry of a care team; npi, actor, name or organization identifies the carer.' })
export class CareTeamEntryInput extends inputOf(CareTeamMembers) {
  @ContractField(() => String, {
    description: 'Status; default active.',
    optional: true,
    example: 'active',
    enum: Object.keys(CREATED_AS),
  })
  status?: FirstCareTeamStatus;

  @ContractField(() => CareTeamPeriodInput, { description: 'Period of care.', optional: true })
  period?: CareTeamPeriodInput;

  @ContractField(() => JsonScalar, EXTRA_INPUT)
  extra?: JsonObject;
}

@RecordType({ description: 'A carer of a member (FHIR R4 CareTeam).' })
export class CareTeamEntry extends outputOf(CareTeamMembers, RecordMembers) {
  @ContractField(() => String, { description: 'Identifier.', example: 'ctm_01JQ0000000000000000000001' })
  care_team_id!: string;

  @ContractField(() => String, { description: 'Status (FHIR).', example: 'active', enum: [...CARE_TEAM_STATUSES] })
  status!: CareTeamStatus;

  @ContractField(() => CareTeamPeriod, { description: 'Period of care.' })
  period!: CareTeamPeriod;

  @ContractField(() => String, { description: 'Reason for the end.', nullable: true })
  ended_reason!: string | null;

  @ContractField(() => JsonScalar, EXTRA)
  extra?: JsonObject;

  @ContractField(() => [MemberRecordStep], { description: 'Steps, oldest first.' })
  history!: MemberRecordStep[];
}

export const CARE_TEAM_ROW = rowCheckOf(CareTeamEntry, {
  own: { ...EXTRA_ROW.own, seat: 'text', place: 'text', place_number: 'number' },
  optional: EXTRA_ROW.optional,
});

export const CareTeamPage = pageType('CareTeamPage', () => CareTeamEntry);

@ArgsType()
export class CareTeamFilter extends WindowArgs {
  @ContractField(() => String, PERSON_FILTER)
  member_id?: string;

  @ContractField(() => String, { description: 'Only entries of this NPI or actor.', optional: true, maxLength: 64 })
  practitioner?: string;

  @ContractField(() => String, {
    description: 'Only entries with this status.',
    optional: true,
    enum: [...CARE_TEAM_STATUSES],
  })
  status?: CareTeamStatus;
}
