import { Int, ObjectType } from 'type-graphql';
import { CUSTODY_ACTIONS, CUSTODY_SUBJECT_KINDS } from '../../../shared/contracts/custody.js';
import { ERASURE_REFUSALS, type ErasureRefusalReason } from '../../../shared/contracts/erasures.js';
import { HELD_KINDS, type HeldKind } from '../../../shared/contracts/holds.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType } from '../../../shared/graph/page.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import {
  DATA_RIGHT_STATUSES,
  type DataRightStatus,
  type Relationship,
  type DataRight as Right,
} from '../domain/data-rights/data-right.js';
import { DISCLOSURE_ACTIONS } from '../domain/data-rights/disclosures.js';
import { MEMBER, TIME } from './appointment-input.js';
import { EVENT, RELATIONSHIP, RIGHT } from './data-right-input.js';
import { MemberRecordStep } from './step-line.js';

const HASH = { example: 'a'.repeat(64) };

@ObjectType({ description: 'Who asks.' })
export class DataRightRequester {
  @ContractField(() => String, { description: 'How they are called.', nullable: true })
  name!: string | null;

  @ContractField(() => String, { description: 'What they are to the member.', ...RELATIONSHIP })
  relationship!: Relationship;
}

@ObjectType({ description: 'How it was made sure who asks.' })
export class DataRightVerified {
  @ContractField(() => String, { description: 'By whom.' })
  verified_by!: string;

  @ContractField(() => String, { description: 'By what.' })
  how!: string;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;
}

@ObjectType({ description: 'The time that an accounting is of.' })
export class DisclosurePeriod {
  @ContractField(() => String, { description: 'From then on.', ...TIME })
  from!: string;

  @ContractField(() => String, { description: 'Before then.', ...TIME })
  to!: string;
}

@ObjectType({ description: 'What has gone by an erasure.' })
export class ErasedCounts {
  @ContractField(() => Int, { description: 'Events.', example: 12 })
  events!: number;

  @ContractField(() => Int, { description: 'Documents.', example: 3 })
  documents!: number;
}

@ObjectType({ description: 'What stays of an erasure, for one reason.' })
export class ErasureRefused {
  @ContractField(() => String, { description: 'Of what kind.', example: 'EVENT', enum: [...HELD_KINDS] })
  kind!: HeldKind;

  @ContractField(() => String, {
    description:
      'Why: a hold is told first; OTHER_MEMBERS is a document that is the record of others too; OPEN_REQUEST waits for the answer to another request.',
    example: 'RETENTION',
    enum: [...ERASURE_REFUSALS],
  })
  reason!: ErasureRefusalReason;

  @ContractField(() => Int, { description: 'How many.', example: 4 })
  count!: number;

  @ContractField(() => [String], { description: 'The holds over them.', optional: true })
  hold_ids?: string[];

  @ContractField(() => String, { description: 'When the first of them is past its age.', optional: true, ...TIME })
  earliest_at?: string;

  @ContractField(() => String, { description: 'When the last of them is.', optional: true, ...TIME })
  latest_at?: string;
}

@ObjectType({ description: 'What was done for a request; members by right.' })
export class DataRightFulfilment {
  @ContractField(() => String, { description: 'ACCESS: the bundle.', optional: true })
  bundle_id?: string;

  @ContractField(() => String, { description: 'RESTRICTION: the consent that denies.', optional: true })
  consent_id?: string;

  @ContractField(() => String, { description: 'RESTRICTION: for what.', optional: true, example: '*' })
  purpose?: string;

  @ContractField(() => [String], { description: 'RESTRICTION: which records; empty: all.', optional: true })
  categories?: string[];

  @ContractField(() => [String], { description: 'RESTRICTION: to whom; empty: anybody.', optional: true })
  actors?: string[];

  @ContractField(() => [String], { description: 'AMENDMENT: what is amended.', optional: true })
  event_ids?: string[];

  @ContractField(() => [String], { description: 'AMENDMENT: what corrects it.', optional: true })
  correction_event_ids?: string[];

  @ContractField(() => String, {
    description: 'AMENDMENT: what the member says to its denial.',
    optional: true,
    ...EVENT,
  })
  statement_of_disagreement_event_id?: string;

  @ContractField(() => DisclosurePeriod, { description: 'ACCOUNTING_OF_DISCLOSURES: of when.', optional: true })
  period?: DisclosurePeriod;

  @ContractField(() => Int, { description: 'How many disclosures were told.', optional: true, example: 7 })
  disclosure_count?: number;

  @ContractField(() => String, {
    description: "SHA-256 over their entries' hashes in the order of the list, each with a line feed behind it.",
    optional: true,
    ...HASH,
  })
  disclosures_sha256?: string;

  @ContractField(() => SafeInteger, {
    description: 'Last place in the chain of custody that was told; nothing behind it is.',
    optional: true,
  })
  last_custody_seq?: number;

  @ContractField(() => Boolean, { description: 'ERASURE: everything has been looked at.', optional: true })
  complete?: boolean;

  @ContractField(() => ErasedCounts, { description: 'ERASURE: what has gone.', optional: true })
  disposed?: ErasedCounts;

  @ContractField(() => [ErasureRefused], { description: 'ERASURE: what stays, and why.', optional: true })
  refused?: ErasureRefused[];
}

@ObjectType({ description: 'What a member asks about their data, and what has become of it.' })
export class DataRight {
  @ContractField(() => String, { description: 'Identifier.', example: 'drt_01JQ0000000000000000000001' })
  data_right_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Whose data, as it was written.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'What is asked for.', ...RIGHT })
  right!: Right;

  @ContractField(() => String, { description: 'Where it stands.', example: 'RECEIVED', enum: [...DATA_RIGHT_STATUSES] })
  status!: DataRightStatus;

  @ContractField(() => DataRightRequester, { description: 'Who asks.' })
  requester!: DataRightRequester;

  @ContractField(() => String, { description: 'When it was received.', ...TIME })
  received_at!: string;

  @ContractField(() => String, { description: 'Answered by then: 30 days after it was received.', ...TIME })
  due_at!: string;

  @ContractField(() => String, { description: 'Answered by then instead.', nullable: true, ...TIME })
  extended_to!: string | null;

  @ContractField(() => String, { description: 'Why it takes longer.', nullable: true })
  extension_reason!: string | null;

  @ContractField(() => Boolean, { description: 'Open past its day, as of now.', example: false })
  overdue!: boolean;

  @ContractField(() => DataRightVerified, { description: 'How it was made sure who asks.', nullable: true })
  verification!: DataRightVerified | null;

  @ContractField(() => String, { description: 'Why it was denied.', nullable: true })
  denial_ground!: string | null;

  @ContractField(() => String, { description: 'What they said.', nullable: true })
  details!: string | null;

  @ContractField(() => DataRightFulfilment, { description: 'What was done for it.', nullable: true })
  fulfilment!: DataRightFulfilment | null;

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['verify', 'extend', 'deny'] })
  allowed_actions!: string[];

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was noted.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', ...TIME })
  updated_at!: string;

  @ContractField(() => [MemberRecordStep], { description: 'Its steps, oldest first.' })
  history!: MemberRecordStep[];
}

export const DataRightPage = pageType('DataRightPage', () => DataRight);

@ObjectType({ description: 'What a disclosure was of.' })
export class DisclosureSubject {
  @ContractField(() => String, { description: 'Of what kind.', example: 'BUNDLE', enum: [...CUSTODY_SUBJECT_KINDS] })
  kind!: keyof { [K in (typeof CUSTODY_SUBJECT_KINDS)[number]]: true };

  @ContractField(() => String, { description: 'Which.', example: 'bdl_01JQ0000000000000000000001' })
  id!: string;
}

@ObjectType({ description: 'Something of a member that was given to somebody (45 CFR 164.528(b)(2)).' })
export class DataDisclosure {
  @ContractField(() => String, { description: 'The entry of custody that it is read off.' })
  custody_id!: string;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'To whom, where it is told.', nullable: true })
  recipient!: string | null;

  @ContractField(() => String, { description: 'Why, where it is told.', nullable: true })
  purpose!: string | null;

  @ContractField(() => String, { description: 'What was done.', example: 'DISCLOSED', enum: [...DISCLOSURE_ACTIONS] })
  action!: keyof typeof CUSTODY_ACTIONS;

  @ContractField(() => String, { description: 'The same in words.' })
  what!: string;

  @ContractField(() => DisclosureSubject, { description: 'What went.' })
  subject!: DisclosureSubject;

  @ContractField(() => Int, { description: 'How many more things the same act was of.', example: 0 })
  further_subjects!: number;

  @ContractField(() => String, { description: 'The actor or key that did it, or noted it.' })
  by!: string;

  @ContractField(() => SafeInteger, { description: 'Its place in the chain of custody.', example: 17 })
  seq!: number;

  @ContractField(() => String, { description: 'Its hash there.', ...HASH })
  entry_hash!: string;
}

export const DataDisclosurePage = pageType('DataDisclosurePage', () => DataDisclosure);
