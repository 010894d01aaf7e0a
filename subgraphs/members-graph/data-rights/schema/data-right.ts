import { Int, ObjectType } from 'type-graphql';
import { CUSTODY_ACTIONS, CUSTODY_SUBJECT_KINDS } from '../../../../shared/contracts/custody.js';
import { ERASURE_REFUSALS, type ErasureRefusalReason } from '../../../../shared/contracts/erasures.js';
import { HELD_KINDS, type HeldKind } from '../../../../shared/contracts/holds.js';
import type { FactKind } from '../../../../shared/facts/fact.js';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { outputOf, RecordType } from '../../../../shared/graph/members.js';
import { pageType } from '../../../../shared/graph/page.js';
import { RecordMembers } from '../../../../shared/graph/record-members.js';
import { SafeInteger } from '../../../../shared/graph/scalars.js';
import { rowCheckOf } from '../../../../shared/records/row-check.js';
import { MEMBER, MemberRecordStep, TIME } from '../../records/schema.js';
import {
  DATA_RIGHT_STATUSES,
  type DataRightStatus,
  DISCLOSURE_ACTIONS,
  type Relationship,
  type DataRight as Right,
} from '../domain.js';
import { EVENT, RELATIONSHIP, RIGHT } from './input.js';

const HASH = { example: 'a'.repeat(64) };

@ObjectType({ description: 'The requester.' })
class DataRightRequester {
  @ContractField(() => String, { description: 'Name.', nullable: true })
  name!: string | null;

  @ContractField(() => String, { description: 'Relationship to the member.', ...RELATIONSHIP })
  relationship!: Relationship;
}

@ObjectType({ description: 'The verification of the requester.' })
class DataRightVerified {
  @ContractField(() => String, { description: 'Verifier.' })
  verified_by!: string;

  @ContractField(() => String, { description: 'Method.' })
  how!: string;

  @ContractField(() => String, { description: 'Time.', ...TIME })
  at!: string;
}

@ObjectType({ description: 'Period of an accounting.' })
class DisclosurePeriod {
  @ContractField(() => String, { description: 'Start (inclusive).', ...TIME })
  from!: string;

  @ContractField(() => String, { description: 'End (exclusive).', ...TIME })
  to!: string;
}

@ObjectType({ description: 'Disposed records of an erasure.' })
class ErasedCounts {
  @ContractField(() => Int, { description: 'Number of events.', example: 12 })
  events!: number;

  @ContractField(() => Int, { description: 'Number of documents.', example: 3 })
  documents!: number;
}

@ObjectType({ description: 'Records that an erasure keeps for one reason.' })
class ErasureRefused {
  @ContractField(() => String, { description: 'Kind of record.', example: 'EVENT', enum: [...HELD_KINDS] })
  kind!: HeldKind;

  @ContractField(() => String, {
    description:
      'Reason; a hold comes first. OTHER_MEMBERS: a document that also belongs to other members. DAMAGED: the record fails its check. OPEN_REQUEST: another request is not answered yet.',
    example: 'RETENTION',
    enum: [...ERASURE_REFUSALS],
  })
  reason!: ErasureRefusalReason;

  @ContractField(() => Int, { description: 'Number of records.', example: 4 })
  count!: number;

  @ContractField(() => [String], { description: 'Holds on these records.', optional: true })
  hold_ids?: readonly string[];

  @ContractField(() => String, { description: 'Earliest end of retention.', optional: true, ...TIME })
  earliest_at?: string;

  @ContractField(() => String, { description: 'Latest end of retention.', optional: true, ...TIME })
  latest_at?: string;
}

@ObjectType({ description: 'The work done for a request; members depend on the right.' })
export class DataRightFulfilment {
  @ContractField(() => String, { description: 'ACCESS: identifier of the bundle.', optional: true })
  bundle_id?: string;

  @ContractField(() => String, { description: 'RESTRICTION: identifier of the denying consent.', optional: true })
  consent_id?: string;

  @ContractField(() => String, { description: 'RESTRICTION: purpose.', optional: true, example: '*' })
  purpose?: string;

  @ContractField(() => [String], { description: 'RESTRICTION: categories of records; empty for all.', optional: true })
  categories?: readonly string[];

  @ContractField(() => [String], { description: 'RESTRICTION: actors; empty for everyone.', optional: true })
  actors?: readonly string[];

  @ContractField(() => [String], { description: 'AMENDMENT: amended events.', optional: true })
  event_ids?: readonly string[];

  @ContractField(() => [String], { description: 'AMENDMENT: correcting events.', optional: true })
  correction_event_ids?: readonly string[];

  @ContractField(() => String, {
    description: 'AMENDMENT: event with the disagreement of the member.',
    optional: true,
    ...EVENT,
  })
  statement_of_disagreement_event_id?: string;

  @ContractField(() => DisclosurePeriod, { description: 'ACCOUNTING_OF_DISCLOSURES: period.', optional: true })
  period?: DisclosurePeriod;

  @ContractField(() => Int, {
    description: 'ACCOUNTING_OF_DISCLOSURES: number of disclosures.',
    optional: true,
    example: 7,
  })
  disclosure_count?: number;

  @ContractField(() => String, {
    description: 'SHA-256 over the hashes of the entries in order, each followed by a line feed.',
    optional: true,
    ...HASH,
  })
  disclosures_sha256?: string;

  @ContractField(() => SafeInteger, {
    description: 'Last included position in the chain of custody.',
    optional: true,
  })
  last_custody_seq?: number;

  @ContractField(() => Boolean, { description: 'ERASURE: true when all records were processed.', optional: true })
  complete?: boolean;

  @ContractField(() => ErasedCounts, { description: 'ERASURE: disposed records.', optional: true })
  disposed?: ErasedCounts;

  @ContractField(() => [ErasureRefused], { description: 'ERASURE: kept records with reasons.', optional: true })
  refused?: readonly ErasureRefused[];
}

@RecordType({ description: 'A request of a member about their data.' })
export class DataRight extends outputOf(RecordMembers) {
  @ContractField(() => String, { description: 'Identifier.', example: 'drt_01JQ0000000000000000000001' })
  data_right_id!: string;

  @ContractField(() => String, { description: 'Member, as given.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'Requested right.', ...RIGHT })
  right!: Right;

  @ContractField(() => String, { description: 'Status.', example: 'RECEIVED', enum: [...DATA_RIGHT_STATUSES] })
  status!: DataRightStatus;

  @ContractField(() => DataRightRequester, { description: 'Requester.' })
  requester!: DataRightRequester;

  @ContractField(() => String, { description: 'Time of receipt.', ...TIME })
  received_at!: string;

  @ContractField(() => String, { description: 'Deadline: 30 days after receipt.', ...TIME })
  due_at!: string;

  @ContractField(() => String, { description: 'Extended deadline.', nullable: true, ...TIME })
  extended_to!: string | null;

  @ContractField(() => String, { description: 'Reason for the extension.', nullable: true })
  extension_reason!: string | null;

  @ContractField(() => Boolean, { description: 'True for an open request past its deadline.', example: false })
  overdue!: boolean;

  @ContractField(() => DataRightVerified, { description: 'Verification of the requester.', nullable: true })
  verification!: DataRightVerified | null;

  @ContractField(() => String, { description: 'Ground of the denial.', nullable: true })
  denial_ground!: string | null;

  @ContractField(() => String, { description: 'Text of the request.', nullable: true })
  details!: string | null;

  @ContractField(() => DataRightFulfilment, { description: 'Work done for the request.', nullable: true })
  fulfilment!: DataRightFulfilment | null;

  @ContractField(() => [MemberRecordStep], { description: 'Steps, oldest first.' })
  history!: MemberRecordStep[];
}

export const DATA_RIGHT_ROW = rowCheckOf(DataRight, {
  own: {
    extended_to: 'time?',
    deadline: 'time',
    fulfilment: 'json',
    is_overdue_told: 'flag',
    next_look_at: 'time?',
  },
  omitted: ['overdue'],
});

/** All that answers show of a request, but whether it is overdue now. */
export const DATA_RIGHT_FACTS = {
  kind: 'data-right',
  evidential: [
    'status',
    'revision',
    'member_id',
    'right',
    'requester',
    'received_at',
    'due_at',
    'extended_to',
    'extension_reason',
    'deadline',
    'is_overdue_told',
    'verification',
    'denial_ground',
    'details',
    'fulfilment',
    'created_at',
    'created_by',
  ],
} as const satisfies { readonly kind: FactKind; readonly evidential: readonly string[] };

export const DataRightPage = pageType('DataRightPage', () => DataRight);

@ObjectType({ description: 'The subject of a disclosure.' })
class DisclosureSubject {
  @ContractField(() => String, { description: 'Kind of record.', example: 'BUNDLE', enum: [...CUSTODY_SUBJECT_KINDS] })
  kind!: keyof { [K in (typeof CUSTODY_SUBJECT_KINDS)[number]]: true };

  @ContractField(() => String, { description: 'Identifier.', example: 'bdl_01JQ0000000000000000000001' })
  id!: string;
}

@ObjectType({ description: "A disclosure of a member's data (45 CFR 164.528(b)(2))." })
export class DataDisclosure {
  @ContractField(() => String, { description: 'Identifier of the custody entry.' })
  custody_id!: string;

  @ContractField(() => String, { description: 'Time.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'Recipient, if known.', nullable: true })
  recipient!: string | null;

  @ContractField(() => String, { description: 'Purpose, if known.', nullable: true })
  purpose!: string | null;

  @ContractField(() => String, { description: 'Action.', example: 'DISCLOSED', enum: [...DISCLOSURE_ACTIONS] })
  action!: keyof typeof CUSTODY_ACTIONS;

  @ContractField(() => String, { description: 'Description of the action.' })
  what!: string;

  @ContractField(() => DisclosureSubject, { description: 'Disclosed record.' })
  subject!: DisclosureSubject;

  @ContractField(() => Int, { description: 'Number of further subjects of the action.', example: 0 })
  further_subjects!: number;

  @ContractField(() => String, { description: 'Actor or key that took or recorded the action.' })
  by!: string;

  @ContractField(() => SafeInteger, { description: 'Position in the chain of custody.', example: 17 })
  seq!: number;

  @ContractField(() => String, { description: 'Hash of the custody entry.', ...HASH })
  entry_hash!: string;
}

export const DataDisclosurePage = pageType('DataDisclosurePage', () => DataDisclosure);
