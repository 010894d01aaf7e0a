import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import {
  REDACTION_STATUSES,
  type RedactionAction,
  type RedactionStatus,
  type RedactionSubjectKind,
  SUBJECT_KINDS,
} from '../domain/redaction.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const TIME = { format: 'date-time', example: EXAMPLE_TIME } as const;
const REASON = { example: 'Names a third person.', minLength: 1, maxLength: 2_000 };
const BASIS = { example: '45 CFR 164.502(b)', minLength: 1, maxLength: 500 };
const POINTERS = {
  example: ['/payload/rationale'],
  maxItems: 1_000,
  items: { minLength: 1, maxLength: 1_024, pattern: '^/' },
};
const TERMS = { example: ['Jane Roe'], maxItems: 200, items: { minLength: 1, maxLength: 200 } };
const LENGTH = { minimum: 0, maximum: 20_000, example: 72 };

@InputType('RedactionSubjectInput', { description: 'What is redacted.' })
@ObjectType('RedactionSubject', { description: 'What is redacted.' })
export class RedactionSubjectShape {
  @ContractField(() => String, { description: 'Kind of record.', example: 'EVENT', enum: [...SUBJECT_KINDS] })
  kind!: RedactionSubjectKind;

  @ContractField(() => String, {
    description: 'Its identifier.',
    example: 'evt_01JQ0000000000000000000001',
    minLength: 1,
    maxLength: 64,
  })
  id!: string;
}

@InputType('PageRegionInput', { description: 'A rectangle of a page.' })
@ObjectType('PageRegion', {
  description: 'A rectangle of a page, in points from its upper left corner as it is shown.',
})
export class PageRegionShape {
  @ContractField(() => Number, { description: 'From the left edge.', ...LENGTH })
  x!: number;

  @ContractField(() => Number, { description: 'From the upper edge.', ...LENGTH })
  y!: number;

  @ContractField(() => Number, { description: 'How wide it is.', ...LENGTH })
  width!: number;

  @ContractField(() => Number, { description: 'How high it is.', ...LENGTH })
  height!: number;
}

@InputType('RedactedPageInput', { description: 'What is hidden of one page.' })
@ObjectType('RedactedPage', { description: 'What is hidden of one page.' })
export class RedactedPageShape {
  @ContractField(() => Int, { description: 'Number of the page, from 1.', example: 1, minimum: 1, maximum: 100_000 })
  page!: number;

  @ContractField(() => [PageRegionShape], {
    description: 'The parts that are hidden; all of the page where none are named.',
    optional: true,
    minItems: 1,
    maxItems: 200,
  })
  regions?: PageRegionShape[];
}

@InputType({ description: 'A redaction to be drafted.' })
export class RedactionDraft {
  @ContractField(() => RedactionSubjectShape, { description: 'What is redacted.' })
  subject!: RedactionSubjectShape;

  @ContractField(() => [String], {
    description: 'Of an event: JSON Pointers into its record; one to a subtree hides every leaf below it.',
    optional: true,
    ...POINTERS,
  })
  pointers?: string[];

  @ContractField(() => [String], {
    description: 'Of a document: words that are taken out wherever they stand, whole, in any case, taken literally.',
    optional: true,
    ...TERMS,
  })
  terms?: string[];

  @ContractField(() => [RedactedPageShape], {
    description: 'Of a PDF: pages, or regions of pages.',
    optional: true,
    maxItems: 500,
  })
  pages?: RedactedPageShape[];

  @ContractField(() => String, { description: 'Why.', ...REASON })
  reason!: string;

  @ContractField(() => String, { description: 'The rule, order or request that demands it.', ...BASIS })
  basis!: string;
}

@InputType({ description: 'Changes of a draft: absent stays.' })
export class RedactionPatch {
  @ContractField(() => [String], { description: 'The pointers, all of them.', optional: true, ...POINTERS })
  pointers?: string[];

  @ContractField(() => [String], { description: 'The terms, all of them.', optional: true, ...TERMS })
  terms?: string[];

  @ContractField(() => [RedactedPageShape], { description: 'The pages, all of them.', optional: true, maxItems: 500 })
  pages?: RedactedPageShape[];

  @ContractField(() => String, { description: 'Why.', optional: true, ...REASON })
  reason?: string;

  @ContractField(() => String, { description: 'What demands it.', optional: true, ...BASIS })
  basis?: string;

  @ContractField(() => Int, {
    description: 'The revision that this change is made on; CONFLICT when another one stands.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@ObjectType({ description: 'One step of a redaction.' })
export class RedactionStep {
  @ContractField(() => Int, { description: 'Revision that it made.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'What was done.', example: 'draft' })
  action!: RedactionAction;

  @ContractField(() => String, { description: 'Status before.', nullable: true, enum: [...REDACTION_STATUSES] })
  from!: RedactionStatus | null;

  @ContractField(() => String, { description: 'Status after.', example: 'DRAFT', enum: [...REDACTION_STATUSES] })
  to!: RedactionStatus;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  by!: string;

  @ContractField(() => String, { description: "The key's actor.", nullable: true })
  actor_id!: string | null;
}

@ObjectType({ description: 'What is hidden of an event or a document from readers without documents:unredacted.' })
export class Redaction {
  @ContractField(() => String, { description: 'The redaction.', example: 'rdx_01JQ0000000000000000000001' })
  redaction_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => RedactionSubjectShape, { description: 'What is redacted.' })
  subject!: RedactionSubjectShape;

  @ContractField(() => [String], { description: 'Of an event: pointers into its record.' })
  pointers!: string[];

  @ContractField(() => [String], {
    description: 'Of a document: words. Left out once it is no draft, but for readers with documents:unredacted.',
    optional: true,
  })
  terms?: string[];

  @ContractField(() => [RedactedPageShape], { description: 'Of a PDF: pages, or regions of pages.' })
  pages!: RedactedPageShape[];

  @ContractField(() => String, { description: 'Why.', example: REASON.example })
  reason!: string;

  @ContractField(() => String, { description: 'What demands it.', example: BASIS.example })
  basis!: string;

  @ContractField(() => String, {
    description: 'Where it stands.',
    example: 'DRAFT',
    enum: [...REDACTION_STATUSES],
  })
  status!: RedactionStatus;

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['apply'] })
  allowed_actions!: string[];

  @ContractField(() => String, {
    description: 'Who drafted it: an actor, or a key without one.',
    example: 'act_01JQ0000000000000000000001',
  })
  drafted_by!: string;

  @ContractField(() => String, { description: 'Who applied it.', nullable: true })
  applied_by!: string | null;

  @ContractField(() => String, { description: 'When it was applied.', nullable: true, ...TIME })
  applied_at!: string | null;

  @ContractField(() => String, { description: 'SHA-256 of the rendition.', nullable: true })
  rendition_sha256!: string | null;

  @ContractField(() => SafeInteger, { description: 'Bytes of the rendition.', nullable: true })
  rendition_size!: number | null;

  @ContractField(() => String, {
    description: 'SHA-256 of the document that the rendition was made of; for readers with documents:unredacted.',
    optional: true,
  })
  original_sha256?: string;

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was drafted.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that drafted it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', ...TIME })
  updated_at!: string;

  @ContractField(() => [RedactionStep], { description: 'Its steps, oldest first.' })
  history!: RedactionStep[];
}

export const RedactionPage = pageType('RedactionPage', () => Redaction);

@ArgsType()
export class RedactionFilter extends PageArgs {
  @ContractField(() => String, {
    description: 'Only those that stand here.',
    optional: true,
    enum: [...REDACTION_STATUSES],
  })
  status?: RedactionStatus;

  @ContractField(() => String, {
    description: 'Only those of this kind of record.',
    optional: true,
    enum: [...SUBJECT_KINDS],
  })
  subject_kind?: RedactionSubjectKind;

  @ContractField(() => String, {
    description: 'Only those of this record.',
    optional: true,
    minLength: 1,
    maxLength: 64,
  })
  subject_id?: string;

  @ContractField(() => String, { description: 'Drafted at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Drafted before this time.', optional: true, format: 'date-time' })
  to?: string;
}
