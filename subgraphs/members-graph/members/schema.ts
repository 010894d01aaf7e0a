import { ArgsType, Directive, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { Member as Given, inputOf, outputOf, patchOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { pageType, WindowArgs } from '../../../shared/graph/page.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { MEMBER_STATUSES, type MemberStatus, SEXES, type Sex } from './domain/member.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
export const MEMBER_ID = { example: 'M-1001', minLength: 1, maxLength: 256 } as const;
const WORD = { minLength: 1, maxLength: 256 } as const;
/** A part of a value: absent where it is unknown, in inputs and answers. */
const PART = { nullable: true, shown: { nullable: undefined, optional: true }, ...WORD } as const;

abstract class IdentifierMembers {
  @Given(() => String, { description: 'System: a URI, an OID or a name.', example: 'ssn', ...WORD })
  system!: string;

  @Given(() => String, { description: 'The identifier.', example: '212-34-5566', ...WORD })
  value!: string;
}

@RecordInput({ description: 'An identifier of a person in one system.' })
class MemberIdentifierInput extends inputOf(IdentifierMembers) {}

@RecordType({ description: 'An identifier of a person in one system.' })
class MemberIdentifier extends outputOf(IdentifierMembers) {}

abstract class NameMembers {
  @Given(() => String, { description: 'Family name.', example: 'Okafor', nullable: true, ...WORD })
  family?: string | null;

  @Given(() => [String], {
    description: 'Given names in order.',
    example: ['Adaeze', 'Ruth'],
    nullable: true,
    maxItems: 10,
    items: WORD,
    shown: { nullable: undefined },
  })
  given?: readonly string[];

  @Given(() => String, { description: 'Suffix, such as Jr, Sr or III.', ...PART, maxLength: 32 })
  suffix?: string;
}

@RecordInput({ description: "A person's name." })
class MemberNameInput extends inputOf(NameMembers) {}

@RecordType({ description: "A person's name." })
class MemberName extends outputOf(NameMembers) {}

abstract class AddressMembers {
  @Given(() => [String], {
    description: 'Address lines, house number and street first.',
    example: ['12 Elm Street'],
    nullable: true,
    maxItems: 10,
    items: WORD,
    shown: { nullable: undefined },
  })
  lines?: readonly string[];

  @Given(() => String, { description: 'City.', example: 'Springfield', ...PART })
  city?: string;

  @Given(() => String, { description: 'State or province.', example: 'IL', ...PART })
  state?: string;

  @Given(() => String, { description: 'Postal code.', example: '62704', ...PART })
  postal_code?: string;

  @Given(() => String, { description: 'Country.', example: 'US', ...PART })
  country?: string;
}

@RecordInput({ description: 'An address.' })
class MemberAddressInput extends inputOf(AddressMembers) {}

@RecordType({ description: 'An address.' })
class MemberAddress extends outputOf(AddressMembers) {}

/** Data about a person; every member may be absent. */
abstract class PersonMembers {
  @Given(() => [MemberIdentifierInput], {
    description: 'Identifiers with their systems.',
    maxItems: 50,
    shownType: () => [MemberIdentifier],
  })
  identifiers!: IdentifierMembers[];

  @Given(() => MemberNameInput, { description: 'Name.', shownType: () => MemberName })
  name!: NameMembers;

  @Given(() => [String], { description: 'Former family names.', maxItems: 10, items: WORD })
  former_families!: string[];

  @Given(() => String, {
    description: 'Date of birth: YYYY-MM-DD, YYYY-MM or YYYY.',
    example: '1970-01-31',
    nullable: true,
    pattern: '^\\d{4}(-\\d{2}(-\\d{2})?)?$',
  })
  birth_date!: string | null;

  @Given(() => Boolean, { description: 'True for a multiple birth; null if unknown.', nullable: true })
  multiple_birth!: boolean | null;

  @Given(() => String, { description: 'Administrative sex.', nullable: true, enum: [...SEXES] })
  sex!: Sex | null;

  @Given(() => [MemberAddressInput], { description: 'Addresses.', maxItems: 20, shownType: () => [MemberAddress] })
  addresses!: AddressMembers[];

  @Given(() => [String], {
    description: 'Telephone numbers.',
    maxItems: 20,
    items: { minLength: 1, maxLength: 64 },
    shown: { example: ['217-555-0142'] },
  })
  phones!: string[];

  @Given(() => [String], { description: 'E-mail addresses.', maxItems: 20, items: { minLength: 3, maxLength: 254 } })
  emails!: string[];
}

/** Data about a member of the directory. */
export abstract class MemberMembers extends PersonMembers {
  @Given(() => String, { description: 'Coverage program.', nullable: true, ...WORD, shown: { example: 'Medicare' } })
  program!: string | null;

  @Given(() => String, { description: 'Jurisdiction.', nullable: true, ...WORD, shown: { example: 'US-IL' } })
  jurisdiction!: string | null;
}

@RecordInput({ description: 'A person to match.' })
export class PersonInput extends patchOf(PersonMembers) {}

@RecordInput({ description: 'A new member.' })
export class MemberInput extends patchOf(MemberMembers) {
  @ContractField(() => String, { description: 'Identifier of the member, chosen by the caller.', ...MEMBER_ID })
  member_id!: string;
}

@RecordInput({ description: 'Changes of a member: null removes a value, an absent member stays.' })
export class MemberPatch extends patchOf(MemberMembers) {
  @ContractField(() => String, {
    description: 'INACTIVE: no longer a member; the record remains.',
    optional: true,
    enum: ['ACTIVE', 'INACTIVE'],
  })
  status?: 'ACTIVE' | 'INACTIVE';

  @ContractField(() => Int, {
    description: 'Revision that the caller has read; CONFLICT if the member has another one.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@ArgsType()
export class MergeArgs {
  @ContractField(() => String, { description: 'The surviving record.', ...MEMBER_ID })
  member_id!: string;

  @ContractField(() => String, { description: 'The record to merge.', ...MEMBER_ID, example: 'M-2002' })
  source_member_id!: string;

  @ContractField(() => String, {
    description: 'Reason.',
    example: 'Same card, same birth date.',
    optional: true,
    minLength: 1,
    maxLength: 1000,
  })
  reason?: string;
}

const MEMBER_LINK_TYPES = ['REPLACES', 'REPLACED_BY'] as const;

@ObjectType({ description: 'A link between records of one person.' })
export class MemberLink {
  @ContractField(() => String, {
    description:
      'REPLACES: the other record is merged into this one. REPLACED_BY: this record is merged into the other.',
    example: 'REPLACES',
    enum: [...MEMBER_LINK_TYPES],
  })
  type!: (typeof MEMBER_LINK_TYPES)[number];

  @ContractField(() => String, { description: 'The other record.', example: 'M-2002' })
  member_id!: string;

  @ContractField(() => String, { description: 'Time of the merge.', example: EXAMPLE_TIME, format: 'date-time' })
  since!: string;
}

@Directive('@key(fields: "member_id")')
@RecordType({ description: 'A member of the directory.' })
export class Member extends outputOf(MemberMembers, RecordMembers) {
  @ContractField(() => String, { description: 'Identifier of the member, chosen by the caller.', ...MEMBER_ID })
  member_id!: string;

  @ContractField(() => String, {
    description: 'Status. MERGED: merged into another record; see links.',
    example: 'ACTIVE',
    enum: [...MEMBER_STATUSES],
  })
  status!: MemberStatus;

  @ContractField(() => [MemberLink], { description: 'Records of the same person.' })
  links!: MemberLink[];
}

export const MemberPage = pageType('MemberPage', () => Member);

@ArgsType()
export class MemberFilter extends WindowArgs {
  @ContractField(() => String, { description: 'Only this status.', optional: true, enum: [...MEMBER_STATUSES] })
  status?: MemberStatus;

  @ContractField(() => String, { description: 'Only this program.', optional: true, maxLength: 256 })
  program?: string;

  @ContractField(() => String, { description: 'Only this jurisdiction.', optional: true, maxLength: 256 })
  jurisdiction?: string;
}

const STATUSES = [...MEMBER_STATUSES];

@ObjectType({ description: 'One change of a member.' })
export class MemberStep {
  @ContractField(() => String, { description: 'Identifier of the change.', example: 'eff_01JQ0000000000000000000001' })
  change_id!: string;

  @ContractField(() => Int, { description: 'Revision after the change; null for a merge.', nullable: true })
  revision!: number | null;

  @ContractField(() => String, { description: 'Action.', example: 'update' })
  action!: string;

  @ContractField(() => String, { description: 'Status before.', nullable: true, enum: STATUSES })
  from!: MemberStatus | null;

  @ContractField(() => String, { description: 'Status after.', example: 'ACTIVE', enum: STATUSES })
  to!: MemberStatus;

  @ContractField(() => JsonScalar, { description: 'Changed members with their previous values.' })
  before!: Record<string, unknown>;

  @ContractField(() => String, { description: 'Other record of a merge.', nullable: true, example: 'M-2002' })
  other_member_id!: string | null;

  @ContractField(() => String, { description: 'Reason given by the caller.', nullable: true })
  reason!: string | null;

  @ContractField(() => String, { description: 'Event that caused the change.', nullable: true })
  event_id!: string | null;

  @ContractField(() => String, {
    description: 'Time of the change.',
    example: EXAMPLE_TIME,
    format: 'date-time',
  })
  at!: string;

  @ContractField(() => String, { description: 'Key that made the change.', example: 'key_01JQ0000000000000000000001' })
  by!: string;

  @ContractField(() => String, { description: 'Actor of the key.', nullable: true })
  actor_id!: string | null;
}

export const MemberStepPage = pageType('MemberStepPage', () => MemberStep);

@ArgsType()
export class MemberHistoryArgs extends WindowArgs {
  @ContractField(() => String, { description: 'Identifier of the member.', ...MEMBER_ID })
  member_id!: string;
}
