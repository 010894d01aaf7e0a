import { ArgsType, Directive, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { MEMBER_STATUSES, type MemberStatus, SEXES, type Sex } from '../domain/members/member.js';
import { MEMBER_ID, MemberAddress, MemberIdentifier, MemberName } from './member-parts.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
export const MEMBER_LINK_TYPES = ['REPLACES', 'REPLACED_BY'] as const;

@ObjectType({ description: 'A link between records of one person.' })
export class MemberLink {
  @ContractField(() => String, {
    description: 'REPLACES: that record was merged into this one; REPLACED_BY: the other way round.',
    example: 'REPLACES',
    enum: [...MEMBER_LINK_TYPES],
  })
  type!: (typeof MEMBER_LINK_TYPES)[number];

  @ContractField(() => String, { description: 'The other record.', example: 'M-2002' })
  member_id!: string;

  @ContractField(() => String, { description: 'Since when.', example: EXAMPLE_TIME, format: 'date-time' })
  since!: string;
}

@ObjectType({ description: 'A member of the directory.' })
@Directive('@key(fields: "member_id")')
export class Member {
  @ContractField(() => String, { description: 'The member: your own identifier.', ...MEMBER_ID })
  member_id!: string;

  @ContractField(() => String, { description: 'The tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => [MemberIdentifier], { description: 'Identifiers by the systems that give them.' })
  identifiers!: MemberIdentifier[];

  @ContractField(() => MemberName, { description: 'Name.' })
  name!: MemberName;

  @ContractField(() => [String], { description: 'Family names borne before.' })
  former_families!: string[];

  @ContractField(() => String, {
    description: 'Date of birth: YYYY-MM-DD, YYYY-MM or YYYY.',
    example: '1970-01-31',
    nullable: true,
  })
  birth_date!: string | null;

  @ContractField(() => Boolean, { description: 'Whether born together with others; null: not known.', nullable: true })
  multiple_birth!: boolean | null;

  @ContractField(() => String, { description: 'Administrative sex.', nullable: true, enum: [...SEXES] })
  sex!: Sex | null;

  @ContractField(() => [MemberAddress], { description: 'Addresses.' })
  addresses!: MemberAddress[];

  @ContractField(() => [String], { description: 'Telephone numbers.', example: ['217-555-0142'] })
  phones!: string[];

  @ContractField(() => [String], { description: 'E-mail addresses.' })
  emails!: string[];

  @ContractField(() => String, { description: 'Programme of cover.', example: 'Medicare', nullable: true })
  program!: string | null;

  @ContractField(() => String, { description: 'Jurisdiction.', example: 'US-IL', nullable: true })
  jurisdiction!: string | null;

  @ContractField(() => String, {
    description: 'MERGED: another record stands for the person now; see links.',
    example: 'ACTIVE',
    enum: [...MEMBER_STATUSES],
  })
  status!: MemberStatus;

  @ContractField(() => [String], { description: 'Actions that the record takes now.', example: ['update', 'merge'] })
  allowed_actions!: string[];

  @ContractField(() => [MemberLink], { description: 'Records of the same person.' })
  links!: MemberLink[];

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it came.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, {
    description: 'The key that made it; `service:members` where the ledger told of the member.',
    example: 'key_01JQ0000000000000000000001',
  })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', example: EXAMPLE_TIME, format: 'date-time' })
  updated_at!: string;
}

export const MemberPage = pageType('MemberPage', () => Member);

@ArgsType()
export class MemberFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only these.', optional: true, enum: [...MEMBER_STATUSES] })
  status?: MemberStatus;

  @ContractField(() => String, { description: 'Only of this programme.', optional: true, maxLength: 256 })
  program?: string;

  @ContractField(() => String, { description: 'Only of this jurisdiction.', optional: true, maxLength: 256 })
  jurisdiction?: string;

  @ContractField(() => String, { description: 'Recorded at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Recorded before this time.', optional: true, format: 'date-time' })
  to?: string;
}
