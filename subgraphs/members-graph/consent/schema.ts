import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import {
  CONSENT_DECISIONS,
  type ConsentDecision,
  WITHHELD_REASONS,
  type WithheldReason,
} from '../../../shared/consent/verdict.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { pageType, WindowArgs } from '../../../shared/graph/page.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import { KEY, MEMBER, REVISION, TEXT, TIME } from '../records/schema.js';
import { CONSENT_STATUSES, type ConsentStatus } from './domain.js';

const DECISION = { example: 'PERMIT', enum: [...CONSENT_DECISIONS] };
const STATUS = { example: 'ACTIVE', enum: [...CONSENT_STATUSES] };
export const PURPOSE = { example: 'CARE_COORDINATION', maxLength: 64, pattern: '^(\\*|[A-Za-z][A-Za-z0-9_]*)$' };
export const CATEGORIES = { example: ['42CFR2'], items: { minLength: 1, maxLength: 128 }, maxItems: 100 };
export const ACTORS = { example: [KEY.example], items: { minLength: 1, maxLength: 256 }, maxItems: 100 };
const GRANTOR = { example: 'the member', minLength: 1, maxLength: 256 };
const DOCUMENT = { example: 'doc_01JQ0000000000000000000001', maxLength: 64 };

@InputType({ description: 'A period from start (inclusive) to end (exclusive); an absent bound is open.' })
class ConsentPeriodInput {
  @ContractField(() => String, { description: 'Start.', optional: true, ...TIME })
  start?: string;

  @ContractField(() => String, { description: 'End.', optional: true, ...TIME })
  end?: string;
}

/** The members that callers give to a consent. */
export abstract class ConsentMembers {
  @Member(() => String, { description: 'Member of the covered records.', ...MEMBER, shown: MEMBER })
  member_id!: string;

  @Member(() => String, { description: 'Decision; DENY wins over PERMIT.', ...DECISION })
  decision!: ConsentDecision;

  @Member(() => String, { description: 'Purpose; `*` for every purpose. Stored in upper case.', ...PURPOSE })
  purpose!: string;

  @Member(() => [String], {
    description:
      'Categories: families of events, `document`, and labels such as `42CFR2`; empty for all. Only a PERMIT with `42CFR2` covers 42 CFR Part 2 data.',
    ...CATEGORIES,
  })
  categories!: readonly string[];

  @Member(() => [String], {
    description: 'Actors, keys or requesters of access that the consent applies to; empty for everyone.',
    ...ACTORS,
    shown: { example: [] },
  })
  actors!: readonly string[];

  @Member(() => String, { description: 'Signed form, a document of the vault.', nullable: true, ...DOCUMENT })
  source_document_id!: string | null;

  @Member(() => String, { description: 'Person who gave the consent for the member.', nullable: true, ...GRANTOR })
  grantor!: string | null;

  @Member(() => String, { description: 'Note.', nullable: true, ...TEXT })
  note!: string | null;
}

@RecordInput({ description: 'A new consent.' })
export class ConsentInput extends inputOf(ConsentMembers, { categories: [], actors: [] }) {
  @ContractField(() => ConsentPeriodInput, { description: 'Period of the consent.', optional: true })
  period?: ConsentPeriodInput;
}

@InputType({ description: 'The revocation of a consent.' })
export class ConsentRevocation {
  @ContractField(() => String, { description: 'Reason.', optional: true, ...TEXT })
  reason?: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@ObjectType({ description: 'A period from start (inclusive) to end (exclusive); null is open.' })
class ConsentPeriod {
  @ContractField(() => String, { description: 'Start.', nullable: true, ...TIME })
  start!: string | null;

  @ContractField(() => String, { description: 'End.', nullable: true, ...TIME })
  end!: string | null;
}

@ObjectType({ description: 'One step of a consent.' })
class ConsentChange {
  @ContractField(() => Int, { description: 'Revision after the step.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'Action.', example: 'create' })
  action!: string;

  @ContractField(() => String, { description: 'Status before.', nullable: true })
  from!: string | null;

  @ContractField(() => String, { description: 'Status after.', ...STATUS })
  to!: string;

  @ContractField(() => String, { description: 'Time of the step.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'Key that took the step.', ...KEY })
  by!: string;

  @ContractField(() => String, { description: 'Actor of the key.', nullable: true })
  actor_id!: string | null;
}

@RecordType({ description: 'A consent of a member: who may see which records, and for what.' })
export class Consent extends outputOf(ConsentMembers, RecordMembers) {
  @ContractField(() => String, { description: 'Identifier.', example: 'cns_01JQ0000000000000000000001' })
  consent_id!: string;

  @ContractField(() => ConsentPeriod, { description: 'Period of the consent.' })
  period!: ConsentPeriod;

  @ContractField(() => String, { description: 'Status; REVOKED is final.', ...STATUS })
  status!: ConsentStatus;

  @ContractField(() => Boolean, { description: 'True if the consent is in force now.', example: true })
  in_force!: boolean;

  @ContractField(() => String, { description: 'Reason for the revocation.', nullable: true })
  revocation_reason!: string | null;

  @ContractField(() => [ConsentChange], { description: 'Steps, oldest first.' })
  history!: ConsentChange[];
}

export const CONSENT_ROW = rowCheckOf(Consent, { omitted: ['in_force'] });

export const ConsentPage = pageType('ConsentPage', () => Consent);

@ArgsType()
export class ConsentFilter extends WindowArgs {
  @ContractField(() => String, { description: 'Only consents of this member.', optional: true, maxLength: 256 })
  member_id?: string;

  @ContractField(() => String, { description: 'Only this status.', optional: true, enum: [...CONSENT_STATUSES] })
  status?: ConsentStatus;

  @ContractField(() => String, { description: 'Only this decision.', optional: true, enum: [...CONSENT_DECISIONS] })
  decision?: ConsentDecision;

  @ContractField(() => String, { description: 'Only this purpose.', optional: true, maxLength: 64 })
  purpose?: string;
}

@InputType({ description: 'A question to the rules of consent.' })
export class ConsentCheckInput {
  @ContractField(() => String, { description: 'Member of the record.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'Purpose.', ...PURPOSE })
  purpose!: string;

  @ContractField(() => String, {
    description: 'A family of events, `document`, or a label; default records without special protection.',
    optional: true,
    example: '42CFR2',
    minLength: 1,
    maxLength: 128,
  })
  category?: string;

  @ContractField(() => String, {
    description: 'Actor who would see the record.',
    optional: true,
    minLength: 1,
    maxLength: 256,
  })
  actor?: string;
}

@ObjectType({ description: 'The decision on a question.' })
export class ConsentCheckResult {
  @ContractField(() => String, { description: 'Decision.', ...DECISION })
  decision!: ConsentDecision;

  @ContractField(() => String, { description: 'Reason for DENY.', nullable: true, enum: [...WITHHELD_REASONS] })
  reason!: WithheldReason | null;

  @ContractField(() => [String], {
    description: 'Consents that decided; empty if the default rule did.',
    example: ['cns_01JQ0000000000000000000001'],
  })
  consent_ids!: string[];
}

const SYSTEMS = { example: ['sud-clinic'], items: { minLength: 1, maxLength: 128 }, maxItems: 1_000 };

@InputType({ description: 'Consent policy for all members of the tenant.' })
export class ConsentPolicyInput {
  @ContractField(() => [String], {
    description: 'Source systems of 42 CFR Part 2 programs; protects their documents and diagnoses of substance use.',
    ...SYSTEMS,
  })
  part2_source_systems!: string[];

  @ContractField(() => Int, { ...REVISION, minimum: 0 })
  revision?: number;
}

@ObjectType({ description: 'Consent policy for all members of the tenant.' })
export class ConsentPolicyRecord {
  @ContractField(() => [String], { description: 'Source systems of 42 CFR Part 2 programs.', example: ['sud-clinic'] })
  part2_source_systems!: string[];

  @ContractField(() => Int, { description: 'Revision; 0 before the first change.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'Time of the last change.', nullable: true, ...TIME })
  updated_at!: string | null;

  @ContractField(() => String, { description: 'Key that changed it.', nullable: true })
  updated_by!: string | null;
}
