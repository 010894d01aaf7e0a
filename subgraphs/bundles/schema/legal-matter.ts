import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import {
  MATTER_KINDS,
  MATTER_LINK_KINDS,
  MATTER_STATUSES,
  MAX_LINKS,
  type MatterAction,
  type MatterKind,
  type MatterLinkKind,
  type MatterStatus,
} from '../domain/legal-matter.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_MATTER = 'mat_01JQ0000000000000000000001';
const NAME = { example: 'Doe v. Acme Health Plan', minLength: 1, maxLength: 200 };
const TEXT = { maxLength: 4_000 };
const KIND = { example: 'LITIGATION', enum: [...MATTER_KINDS] };
const REFS = { items: { minLength: 1, maxLength: 256 }, maxItems: MAX_LINKS };

@InputType({ description: 'A legal matter to be opened.' })
export class LegalMatterInput {
  @ContractField(() => String, { description: 'Its name.', ...NAME })
  name!: string;

  @ContractField(() => String, { description: 'What it is.', ...KIND })
  kind!: MatterKind;

  @ContractField(() => String, { description: 'What it is about.', optional: true, ...TEXT })
  description?: string;

  @ContractField(() => [String], { description: 'Members in it.', optional: true, ...REFS })
  member_ids?: string[];

  @ContractField(() => [String], { description: 'Legal holds of it.', optional: true, ...REFS })
  hold_ids?: string[];

  @ContractField(() => [String], { description: 'Bundles made for it.', optional: true, ...REFS })
  bundle_ids?: string[];

  @ContractField(() => [String], { description: 'Exceptions that it is about.', optional: true, ...REFS })
  exception_ids?: string[];

  @ContractField(() => [String], { description: 'Documents in it.', optional: true, ...REFS })
  document_ids?: string[];
}

@InputType({ description: 'Members of an open matter to be changed: absent stays, null takes away.' })
export class LegalMatterPatch {
  @ContractField(() => String, { description: 'Its name.', optional: true, ...NAME })
  name?: string;

  @ContractField(() => String, { description: 'What it is.', optional: true, ...KIND })
  kind?: MatterKind;

  @ContractField(() => String, { description: 'What it is about.', optional: true, nullable: true, ...TEXT })
  description?: string | null;

  @ContractField(() => Int, {
    description: 'The revision that this change is made on; CONFLICT when another one stands.',
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

  @ContractField(() => String, { description: 'Its identifier.', example: 'M-1', minLength: 1, maxLength: 256 })
  ref!: string;
}

@ObjectType({ description: 'What a step of a legal matter linked, or no longer links.' })
export class LegalMatterLink {
  @ContractField(() => String, { description: 'Kind of record.', example: 'members', enum: [...MATTER_LINK_KINDS] })
  kind!: MatterLinkKind;

  @ContractField(() => String, { description: 'Its identifier.', example: 'M-1' })
  ref!: string;
}

@ObjectType({ description: 'One step of a legal matter.' })
export class LegalMatterStep {
  @ContractField(() => Int, { description: 'Revision that it made.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'What was done.', example: 'create' })
  action!: MatterAction;

  @ContractField(() => String, { description: 'Status before.', nullable: true, enum: [...MATTER_STATUSES] })
  from!: MatterStatus | null;

  @ContractField(() => String, { description: 'Status after.', example: 'OPEN', enum: [...MATTER_STATUSES] })
  to!: MatterStatus;

  @ContractField(() => LegalMatterLink, { description: 'What was linked or taken out.', nullable: true })
  link!: LegalMatterLink | null;

  @ContractField(() => String, { description: 'When.', example: EXAMPLE_TIME, format: 'date-time' })
  at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  by!: string;

  @ContractField(() => String, { description: "The key's actor.", nullable: true })
  actor_id!: string | null;
}

@ObjectType({ description: 'What belongs to one legal case: members, holds, bundles, exceptions and documents.' })
export class LegalMatter {
  @ContractField(() => String, { description: 'Identifier of the matter.', example: EXAMPLE_MATTER })
  matter_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Its name.', ...NAME })
  name!: string;

  @ContractField(() => String, { description: 'What it is.', ...KIND })
  kind!: MatterKind;

  @ContractField(() => String, { description: 'What it is about.', nullable: true })
  description!: string | null;

  @ContractField(() => String, { description: 'CLOSED is final.', example: 'OPEN', enum: [...MATTER_STATUSES] })
  status!: MatterStatus;

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['update', 'close'] })
  allowed_actions!: string[];

  @ContractField(() => [String], { description: 'Members in it: its bundles gather their records.', example: ['M-1'] })
  member_ids!: string[];

  @ContractField(() => [String], { description: 'Legal holds of it.' })
  hold_ids!: string[];

  @ContractField(() => [String], { description: 'Bundles made for it.' })
  bundle_ids!: string[];

  @ContractField(() => [String], { description: 'Exceptions that it is about.' })
  exception_ids!: string[];

  @ContractField(() => [String], { description: 'Documents in it.' })
  document_ids!: string[];

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was opened.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that opened it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', example: EXAMPLE_TIME, format: 'date-time' })
  updated_at!: string;

  @ContractField(() => String, { description: 'When it was closed.', nullable: true, format: 'date-time' })
  closed_at!: string | null;

  @ContractField(() => [LegalMatterStep], { description: 'Its steps, oldest first.' })
  history!: LegalMatterStep[];
}

export const LegalMatterPage = pageType('LegalMatterPage', () => LegalMatter);

@ArgsType()
export class LegalMatterFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only these.', optional: true, enum: [...MATTER_STATUSES] })
  status?: MatterStatus;

  @ContractField(() => String, { description: 'Only of this kind.', optional: true, enum: [...MATTER_KINDS] })
  kind?: MatterKind;

  @ContractField(() => String, { description: 'Only of this name.', optional: true, maxLength: 200 })
  name?: string;

  @ContractField(() => String, { description: 'Only with this member in it.', optional: true, maxLength: 256 })
  member_id?: string;

  @ContractField(() => String, { description: 'Opened at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Opened before this time.', optional: true, format: 'date-time' })
  to?: string;
}
