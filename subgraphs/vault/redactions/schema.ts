import { ArgsType, Directive, InputType, Int, ObjectType } from 'type-graphql';
import type { FactKind } from '../../../shared/facts/fact.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, patchOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import { stepOf } from '../../../shared/graph/step-type.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import {
  REDACTION_STATUSES,
  type RedactionAction,
  type RedactionStatus,
  type RedactionSubjectKind,
  SUBJECT_KINDS,
} from './domain.js';

const TIME = { format: 'date-time', example: '2026-03-02T14:11:10.004Z' } as const;
const REASON = { example: 'Names a third person.', minLength: 1, maxLength: 2_000 };
const BASIS = { example: '45 CFR 164.502(b)', minLength: 1, maxLength: 500 };
const POINTERS = {
  example: ['/payload/rationale'],
  maxItems: 1_000,
  items: { minLength: 1, maxLength: 1_024, pattern: '^/' },
};
const TERMS = { example: ['Jane Roe'], maxItems: 200, items: { minLength: 1, maxLength: 200 } };
const LENGTH = { minimum: 0, maximum: 20_000, example: 72 };

@InputType('RedactionSubjectInput', { description: 'Subject of the redaction.' })
@ObjectType('RedactionSubject', { description: 'Subject of the redaction.' })
class RedactionSubjectShape {
  @ContractField(() => String, { description: 'Kind of record.', example: 'EVENT', enum: [...SUBJECT_KINDS] })
  kind!: RedactionSubjectKind;

  @ContractField(() => String, {
    description: 'Identifier of the record.',
    example: 'evt_01JQ0000000000000000000001',
    minLength: 1,
    maxLength: 64,
  })
  id!: string;
}

@InputType('PageRegionInput', { description: 'A rectangle of a page.' })
@ObjectType('PageRegion', {
  description: 'A rectangle of a page, in points (of an image: pixels) from the upper left corner as displayed.',
})
class PageRegionShape {
  @ContractField(() => Number, { description: 'Distance from the left edge.', ...LENGTH })
  x!: number;

  @ContractField(() => Number, { description: 'Distance from the upper edge.', ...LENGTH })
  y!: number;

  @ContractField(() => Number, { description: 'Width of the rectangle.', ...LENGTH })
  width!: number;

  @ContractField(() => Number, { description: 'Height of the rectangle.', ...LENGTH })
  height!: number;
}

@InputType('RedactedPageInput', { description: 'Hidden parts of one page.' })
@ObjectType('RedactedPage', { description: 'Hidden parts of one page.' })
class RedactedPageShape {
  @ContractField(() => Int, { description: 'Page number, from 1.', example: 1, minimum: 1, maximum: 100_000 })
  page!: number;

  @ContractField(() => [PageRegionShape], {
    description: 'Hidden regions; the whole page by default.',
    optional: true,
    minItems: 1,
    maxItems: 200,
  })
  regions?: PageRegionShape[];
}

/** The members that a drafter gives, without those that only some readers get. */
abstract class ShownMembers {
  @Member(() => [String], {
    description: 'For an event: JSON Pointers into its record; a pointer to a subtree hides every leaf below it.',
    ...POINTERS,
  })
  pointers!: string[];

  @Member(() => [RedactedPageShape], {
    description: 'For a PDF: pages, or regions of pages. For an image: page 1, or regions of it.',
    maxItems: 500,
  })
  pages!: RedactedPageShape[];

  @Member(() => String, { description: 'Reason.', ...REASON })
  reason!: string;

  @Member(() => String, { description: 'The rule, order or request that requires it.', ...BASIS })
  basis!: string;
}

export abstract class RedactionMembers extends ShownMembers {
  @Member(() => [String], {
    description: 'For a document: hidden terms, as whole words, in any case, taken literally.',
    ...TERMS,
  })
  terms!: string[];
}

@RecordInput({ description: 'A new redaction.' })
export class RedactionDraft extends inputOf(RedactionMembers, { pointers: [], terms: [], pages: [] }) {
  @ContractField(() => RedactionSubjectShape, { description: 'Subject of the redaction.' })
  subject!: RedactionSubjectShape;
}

@InputType({ description: 'The draft that the reviewer has read.' })
export class RedactionReview {
  @ContractField(() => Int, {
    description: 'Revision of the reviewed draft; CONFLICT if the draft has changed since.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@RecordInput({ description: 'Changes of a draft: absent members stay.' })
export class RedactionPatch extends patchOf(RedactionMembers) {
  @ContractField(() => Int, {
    description: 'Expected current revision; CONFLICT if it differs.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@RecordType({ description: 'A step of a redaction.' })
class RedactionStep extends stepOf<RedactionStatus, RedactionAction>(REDACTION_STATUSES, 'draft') {}

@Directive('@key(fields: "redaction_id")')
@RecordType({
  description: 'The parts of an event or a document that are hidden from readers without documents:unredacted.',
})
export class Redaction extends outputOf(ShownMembers, RecordMembers) {
  @ContractField(() => String, {
    description: 'Current status.',
    example: REDACTION_STATUSES[0],
    enum: [...REDACTION_STATUSES],
  })
  status!: RedactionStatus;

  @ContractField(() => String, {
    description: 'Identifier of the redaction.',
    example: 'rdx_01JQ0000000000000000000001',
  })
  redaction_id!: string;

  @ContractField(() => RedactionSubjectShape, { description: 'Subject of the redaction.' })
  subject!: RedactionSubjectShape;

  @ContractField(() => [String], {
    description: 'For a document: hidden terms. After the draft, only for readers with documents:unredacted.',
    optional: true,
  })
  terms?: string[];

  @ContractField(() => String, {
    description: 'Drafter: an actor, or a key without one.',
    example: 'act_01JQ0000000000000000000001',
  })
  drafted_by!: string;

  @ContractField(() => String, { description: 'Person who applied it.', nullable: true })
  applied_by!: string | null;

  @ContractField(() => String, { description: 'Time of applying.', nullable: true, ...TIME })
  applied_at!: string | null;

  @ContractField(() => String, { description: 'SHA-256 of the rendition.', nullable: true })
  rendition_sha256!: string | null;

  @ContractField(() => SafeInteger, { description: 'Size of the rendition in bytes.', nullable: true })
  rendition_size!: number | null;

  @ContractField(() => String, {
    description: 'SHA-256 of the original document; only for readers with documents:unredacted.',
    optional: true,
  })
  original_sha256?: string;

  @ContractField(() => [RedactionStep], { description: 'Steps, oldest first.' })
  history!: RedactionStep[];
}

/** Check of stored redactions: all of them have their terms and hashes. */
export const REDACTION_ROW = rowCheckOf(Redaction, {
  own: { terms: 'json', original_sha256: 'text?', ordinal: 'number', hides: 'json', rendition: 'json' },
  optional: ['ordinal', 'hides', 'rendition'],
});

/** All of a redaction; its rows are found by their subject. */
export const REDACTION_FACTS = {
  kind: 'redaction',
  evidential: [
    'status',
    'revision',
    'subject',
    'pointers',
    'terms',
    'pages',
    'reason',
    'basis',
    'drafted_by',
    'applied_by',
    'applied_at',
    'ordinal',
    'hides',
    'rendition',
    'rendition_sha256',
    'rendition_size',
    'original_sha256',
    'created_at',
    'created_by',
  ],
} as const satisfies {
  readonly kind: FactKind;
  readonly evidential: readonly (keyof Redaction | 'ordinal' | 'hides' | 'rendition')[];
};

export const RedactionPage = pageType('RedactionPage', () => Redaction);

@ArgsType()
export class RedactionFilter extends PageArgs {
  @ContractField(() => String, {
    description: 'Only redactions with this status.',
    optional: true,
    enum: [...REDACTION_STATUSES],
  })
  status?: RedactionStatus;

  @ContractField(() => String, {
    description: 'Only redactions of this kind of record.',
    optional: true,
    enum: [...SUBJECT_KINDS],
  })
  subject_kind?: RedactionSubjectKind;

  @ContractField(() => String, {
    description: 'Only redactions of this record.',
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
