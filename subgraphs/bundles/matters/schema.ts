import { ArgsType, Directive, Int, ObjectType } from 'type-graphql';
import type { FactKind } from '../../../shared/facts/fact.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, patchOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import {
  MATTER_KINDS,
  MATTER_LINK_KINDS,
  MATTER_STATUSES,
  MAX_LINKS,
  type MatterAction,
  type MatterKind,
  type MatterLinkKind,
  type MatterStatus,
} from './domain.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_MATTER = 'mat_01JQ0000000000000000000001';
const NAME = { example: 'Doe v. Acme Health Plan', minLength: 1, maxLength: 200 };
const KIND = { example: 'LITIGATION', enum: [...MATTER_KINDS] };
const REFS = { items: { minLength: 1, maxLength: 256 }, maxItems: MAX_LINKS };

export abstract class MatterMembers {
  @Member(() => String, { description: 'Name of the matter.', ...NAME, shown: { minLength: 1, maxLength: 200 } })
  name!: string;

  @Member(() => String, { description: 'Kind of matter.', ...KIND })
  kind!: MatterKind;

  @Member(() => String, { description: 'Subject of the matter.', nullable: true, maxLength: 4_000 })
  description!: string | null;

  @Member(() => [String], { description: 'Members in the matter: its bundles include their records.', ...REFS })
  member_ids!: string[];

  @Member(() => [String], { description: 'Legal holds of the matter.', ...REFS })
  hold_ids!: string[];

  @Member(() => [String], { description: 'Bundles made for the matter.', ...REFS })
  bundle_ids!: string[];

  @Member(() => [String], { description: 'Exceptions that the matter is about.', ...REFS })
  exception_ids!: string[];

  @Member(() => [String], { description: 'Documents in the matter.', ...REFS })
  document_ids!: string[];
}

@RecordInput({ description: 'A new legal matter.' })
export class LegalMatterInput extends inputOf(MatterMembers, {
  member_ids: [],
  hold_ids: [],
  bundle_ids: [],
  exception_ids: [],
  document_ids: [],
}) {}

@RecordInput({ description: 'Changes of an open matter: absent members stay, null removes a value.' })
export class LegalMatterPatch extends patchOf(
  MatterMembers,
  'member_ids',
  'hold_ids',
  'bundle_ids',
  'exception_ids',
  'document_ids',
) {
  @ContractField(() => Int, {
    description: 'Expected current revision; CONFLICT if it differs.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@ArgsType()
export class LegalMatterLinkArgs {
  @ContractField(() => String, { description: 'The legal matter.', example: EXAMPLE_MATTER })
  matter_id!: string;

  @ContractField(() => String, { description: 'Kind of record.', example: 'members', enum: [...MATTER_LINK_KINDS] })
  kind!: MatterLinkKind;

  @ContractField(() => String, {
    description: 'Identifier of the record.',
    example: 'M-1',
    minLength: 1,
    maxLength: 256,
  })
  ref!: string;
}

@ObjectType({ description: 'The record that a step linked or unlinked.' })
class LegalMatterLink {
  @ContractField(() => String, { description: 'Kind of record.', example: 'members', enum: [...MATTER_LINK_KINDS] })
  kind!: MatterLinkKind;

  @ContractField(() => String, { description: 'Identifier of the record.', example: 'M-1' })
  ref!: string;
}

@ObjectType({ description: 'One step of a legal matter.' })
class LegalMatterStep {
  @ContractField(() => Int, { description: 'Revision after the step.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'Action of the step.', example: 'create' })
  action!: MatterAction;

  @ContractField(() => String, { description: 'Status before.', nullable: true, enum: [...MATTER_STATUSES] })
  from!: MatterStatus | null;

  @ContractField(() => String, { description: 'Status after.', example: 'OPEN', enum: [...MATTER_STATUSES] })
  to!: MatterStatus;

  @ContractField(() => LegalMatterLink, { description: 'Record that the step linked or unlinked.', nullable: true })
  link!: LegalMatterLink | null;

  @ContractField(() => String, { description: 'Time of the step.', example: EXAMPLE_TIME, format: 'date-time' })
  at!: string;

  @ContractField(() => String, { description: 'Key that took the step.', example: 'key_01JQ0000000000000000000001' })
  by!: string;

  @ContractField(() => String, { description: 'Actor of the key.', nullable: true })
  actor_id!: string | null;
}

@Directive('@key(fields: "matter_id")')
@RecordType({ description: 'The records of one legal case: members, holds, bundles, exceptions and documents.' })
export class LegalMatter extends outputOf(MatterMembers) {
  @ContractField(() => String, { description: 'Identifier of the matter.', example: EXAMPLE_MATTER })
  matter_id!: string;

  @ContractField(() => String, { description: 'Tenant of the matter.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, {
    description: 'Current status; CLOSED is final.',
    example: 'OPEN',
    enum: [...MATTER_STATUSES],
  })
  status!: MatterStatus;

  @ContractField(() => [String], { description: 'Actions allowed now.', example: ['update', 'close'] })
  allowed_actions!: string[];

  @ContractField(() => Int, { description: 'Number of the current revision.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'Time of creation.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'Key that created it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'Time of the last change.', example: EXAMPLE_TIME, format: 'date-time' })
  updated_at!: string;

  @ContractField(() => String, { description: 'Time of closing.', nullable: true, format: 'date-time' })
  closed_at!: string | null;

  @ContractField(() => [LegalMatterStep], { description: 'Steps, oldest first.' })
  history!: LegalMatterStep[];
}

export const MATTER_ROW = rowCheckOf(LegalMatter);

/** All that answers show of a matter. */
export const MATTER_FACTS = {
  kind: 'matter',
  evidential: ['status', 'revision', 'name', 'kind', 'description', 'created_at', 'created_by', 'closed_at'],
  lists: ['member_ids', 'hold_ids', 'bundle_ids', 'exception_ids', 'document_ids'],
} as const satisfies {
  readonly kind: FactKind;
  readonly evidential: readonly (keyof LegalMatter)[];
  readonly lists: readonly (keyof LegalMatter)[];
};

export const LegalMatterPage = pageType('LegalMatterPage', () => LegalMatter);

@ArgsType()
export class LegalMatterFilter extends PageArgs {
  @ContractField(() => String, {
    description: 'Only matters with this status.',
    optional: true,
    enum: [...MATTER_STATUSES],
  })
  status?: MatterStatus;

  @ContractField(() => String, { description: 'Only matters of this kind.', optional: true, enum: [...MATTER_KINDS] })
  kind?: MatterKind;

  @ContractField(() => String, { description: 'Only matters with this name.', optional: true, maxLength: 200 })
  name?: string;

  @ContractField(() => String, { description: 'Only matters with this member.', optional: true, maxLength: 256 })
  member_id?: string;

  @ContractField(() => String, { description: 'Created at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Created before this time.', optional: true, format: 'date-time' })
  to?: string;
}
