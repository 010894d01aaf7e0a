import { ArgsType, Directive, InputType, ObjectType } from 'type-graphql';
import type { FactKind } from '../../../shared/facts/fact.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import { stepOf } from '../../../shared/graph/step-type.js';
import { PURPOSE_OPTIONS, withheldPageType } from '../../../shared/graph/withheld-page.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import {
  DOCUMENT_STATUSES,
  type DocumentAction,
  type DocumentStatus,
  MAX_EVENTS,
  SCAN_STATUSES,
  type ScanStatus,
  TEXT_STATUSES,
  type TextStatus,
} from './domain.js';

const EXAMPLE_DOCUMENT = 'doc_01JQ0000000000000000000001';
const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const WORD = { minLength: 1, maxLength: 256 };
const SHA256 = { example: 'a3'.repeat(32), pattern: '^[0-9a-f]{64}$' };
const SIZE = { example: 18_211, minimum: 1 };
const LIST = { uniqueItems: true, items: WORD };
const TAGS = { maxItems: 50, uniqueItems: true, items: { minLength: 1, maxLength: 64 } };
const REVIEW_REASON = { example: 'A form of the state with a calculation in it.' };

/** The members that uploaders give. */
export abstract class DocumentMembers {
  @Member(() => String, {
    description: 'SHA-256 of the stored bytes.',
    ...SHA256,
    shown: { description: 'SHA-256 of the content that this reader gets.' },
  })
  sha256!: string;

  @Member(() => SafeInteger, {
    description: 'Size in bytes.',
    ...SIZE,
    shown: { description: 'Size of the content that this reader gets, in bytes.' },
  })
  size!: number;

  @Member(() => String, {
    description: 'Media type as declared; the scan compares it with the bytes.',
    example: 'application/pdf',
    maxLength: 127,
    pattern: '^[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+$',
    shown: { description: 'Media type.' },
  })
  media_type!: string;

  @Member(() => String, {
    description: 'Name of the file, without paths and control characters.',
    example: 'denial-letter.pdf',
    ...WORD,
  })
  filename!: string;

  @Member(() => String, {
    description: 'Title.',
    nullable: true,
    example: 'Notice of denial',
    minLength: 1,
    maxLength: 500,
  })
  title!: string | null;

  @Member(() => String, { description: 'Kind of document.', nullable: true, example: 'DENIAL_LETTER', ...WORD })
  document_type!: string | null;

  @Member(() => String, { description: 'Originating system.', nullable: true, example: 'um-core', ...WORD })
  source_system!: string | null;

  @Member(() => [String], { description: 'Members concerned.', example: ['M-1001'], maxItems: 100, ...LIST })
  member_ids!: string[];

  @Member(() => [String], {
    description: 'Events to which it is attached.',
    example: [],
    maxItems: MAX_EVENTS,
    ...LIST,
  })
  event_ids!: string[];

  @Member(() => String, { description: 'Legal matter of the document.', nullable: true, ...WORD })
  matter_id!: string | null;

  @Member(() => [String], { description: 'Tags for the search.', example: ['appeal'], ...TAGS })
  tags!: string[];

  @Member(() => String, { description: 'Effective time.', nullable: true, ...TIME })
  effective_at!: string | null;
}

@RecordInput({ description: 'A stored file and its description by the sender.' })
export class DocumentUploadInput extends inputOf(DocumentMembers, { member_ids: [], event_ids: [], tags: [] }) {
  @ContractField(() => String, { description: 'Proof that the caller has uploaded them.', ...SHA256 })
  ticket!: string;
}

@ObjectType({ description: 'A finding of the scan.' })
class ScanFindingShape {
  @ContractField(() => String, { description: 'Engine of the finding.', example: 'built-in' })
  engine!: string;

  @ContractField(() => String, { description: 'Kind of finding.', example: 'PDF_JAVASCRIPT' })
  code!: string;

  @ContractField(() => String, { description: 'Description; quotes no content.', example: 'The PDF runs a script.' })
  detail!: string;
}

@ObjectType({ description: 'Scan of a document.' })
class DocumentScanShape {
  @ContractField(() => String, { description: 'Current status.', example: 'CLEAN', enum: [...SCAN_STATUSES] })
  status!: ScanStatus;

  @ContractField(() => String, { description: 'Names of the engines.', example: 'built-in', nullable: true })
  engine!: string | null;

  @ContractField(() => [ScanFindingShape], { description: 'Findings of the engines.', example: [] })
  findings!: ScanFindingShape[];

  @ContractField(() => String, { description: 'Time of the scan.', nullable: true, ...TIME })
  scanned_at!: string | null;
}

@ObjectType({ description: 'State of the text extraction for the search.' })
class DocumentTextShape {
  @ContractField(() => String, { description: 'Current status.', example: 'READY', enum: [...TEXT_STATUSES] })
  status!: TextStatus;

  @ContractField(() => String, { description: 'Failure code.', nullable: true, example: null })
  reason!: string | null;
}

@ObjectType({ description: 'Review of a quarantined document.' })
class DocumentReviewShape {
  @ContractField(() => String, {
    description: 'Decision of the reviewer.',
    example: 'RELEASED',
    enum: ['RELEASED', 'REJECTED'],
  })
  decision!: 'RELEASED' | 'REJECTED';

  @ContractField(() => String, {
    description: 'Reason of the reviewer.',
    ...REVIEW_REASON,
  })
  reason!: string;

  @ContractField(() => String, { description: 'Name of the reviewer.', example: 'j.doe' })
  reviewed_by!: string;

  @ContractField(() => String, { description: 'Time of the step or review.', ...TIME })
  reviewed_at!: string;
}

@RecordType({ description: 'A step of a document.' })
class DocumentStep extends stepOf<DocumentStatus, DocumentAction>(DOCUMENT_STATUSES, 'upload') {}

/** The ledger adds the custody and the events of a document. */
@Directive('@key(fields: "document_id")')
@RecordType({ description: 'One upload; equal bytes are stored once for all documents.' })
export class Document extends outputOf(DocumentMembers, RecordMembers) {
  @ContractField(() => String, {
    description: 'Current status.',
    example: DOCUMENT_STATUSES[0],
    enum: [...DOCUMENT_STATUSES],
  })
  status!: DocumentStatus;

  @ContractField(() => String, { description: 'Identifier of the document.', example: EXAMPLE_DOCUMENT })
  document_id!: string;

  @ContractField(() => String, {
    description: 'The member concerned, if there is exactly one.',
    nullable: true,
    example: 'M-1001',
  })
  member_id!: string | null;

  @ContractField(() => DocumentScanShape, { description: 'Scan of the content.' })
  scan!: DocumentScanShape;

  @ContractField(() => DocumentTextShape, {
    description:
      'Text extraction of the content that this reader gets; only in the answer for one document, and absent before the extraction.',
    optional: true,
  })
  text?: DocumentTextShape;

  @ContractField(() => DocumentReviewShape, { description: 'Review in quarantine.', nullable: true })
  review!: DocumentReviewShape | null;

  @ContractField(() => String, {
    description: 'The applied redaction, if any.',
    nullable: true,
    example: 'rdx_01JQ0000000000000000000001',
  })
  redaction_id!: string | null;

  @ContractField(() => Boolean, {
    description: 'Whether this reader gets the redacted rendition instead of the original.',
    example: false,
  })
  redacted!: boolean;

  @ContractField(() => [DocumentStep], { description: 'Steps, oldest first.' })
  history!: DocumentStep[];
}

/** Check of stored documents: they have the rendition itself, and none of the members that depend on the reader. */
export const DOCUMENT_ROW = rowCheckOf(Document, {
  own: { rendition: 'json' },
  omitted: ['member_id', 'text', 'redaction_id', 'redacted'],
});

/** All that answers show of a document, and all that decides who reads which bytes; the text of its content is no fact. */
export const DOCUMENT_FACTS = {
  kind: 'document',
  evidential: [
    'status',
    'revision',
    'sha256',
    'size',
    'media_type',
    'filename',
    'title',
    'document_type',
    'source_system',
    'matter_id',
    'tags',
    'effective_at',
    'scan',
    'review',
    'rendition',
    'created_at',
    'created_by',
  ],
  lists: ['member_ids', 'event_ids'],
} as const satisfies {
  readonly kind: FactKind;
  readonly evidential: readonly (keyof Document | 'rendition')[];
  readonly lists: readonly (keyof Document)[];
};

export const DocumentPage = withheldPageType('DocumentPage', () => Document);

/** Documents in quarantine, for their reviewers. */
export const QuarantinePage = pageType('QuarantinePage', () => Document);

@ArgsType()
export class DocumentArgs {
  @ContractField(() => String, { description: 'The document.', example: 'doc_01JQ0000000000000000000001' })
  document_id!: string;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;
}

@ArgsType()
export class QuarantineFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only documents about this member.', optional: true, ...WORD })
  member_id?: string;

  @ContractField(() => String, { description: 'Only documents attached to this event.', optional: true, ...WORD })
  event_id?: string;

  @ContractField(() => String, { description: 'Only documents of this legal matter.', optional: true, ...WORD })
  matter_id?: string;

  @ContractField(() => String, { description: 'Only documents of this kind.', optional: true, ...WORD })
  document_type?: string;

  @ContractField(() => String, { description: 'Only documents from this system.', optional: true, ...WORD })
  source_system?: string;

  @ContractField(() => String, { description: 'Only documents of this media type.', optional: true, ...WORD })
  media_type?: string;

  @ContractField(() => String, { description: 'Only documents with this file name.', optional: true, ...WORD })
  filename?: string;

  @ContractField(() => String, { description: 'Only documents with this tag.', optional: true, ...WORD })
  tag?: string;

  @ContractField(() => String, {
    description: 'Only documents with this content.',
    optional: true,
    pattern: '^[0-9a-f]{64}$',
  })
  sha256?: string;

  @ContractField(() => String, { description: 'Uploaded at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Uploaded before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@ArgsType()
export class DocumentFilter extends QuarantineFilter {
  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;

  @ContractField(() => String, {
    description: 'Only documents with this status.',
    optional: true,
    enum: [...DOCUMENT_STATUSES],
  })
  status?: DocumentStatus;

  @ContractField(() => String, {
    description: 'Only documents with this scan status.',
    optional: true,
    enum: [...SCAN_STATUSES],
  })
  scan_status?: ScanStatus;
}

@InputType({ description: 'Decision of a reviewer of the quarantine.' })
export class QuarantineReviewInput {
  @ContractField(() => String, {
    description: 'Reason.',
    ...REVIEW_REASON,
    minLength: 1,
    maxLength: 2_000,
    pattern: '\\S',
  })
  reason!: string;

  @ContractField(() => String, { description: 'Name of the reviewer.', example: 'j.doe', pattern: '\\S', ...WORD })
  reviewed_by!: string;
}

@ObjectType({ description: 'Location of the bytes that a reader gets.' })
export class DocumentContent {
  @ContractField(() => String, { description: 'The document.', example: EXAMPLE_DOCUMENT })
  document_id!: string;

  @ContractField(() => String, { description: 'SHA-256 of the bytes.', ...SHA256 })
  sha256!: string;

  @ContractField(() => SafeInteger, { description: 'Size in bytes.', ...SIZE })
  size!: number;

  @ContractField(() => String, { description: 'Their media type.', example: 'application/pdf' })
  media_type!: string;

  @ContractField(() => String, { description: 'Name of the file.', example: 'denial.pdf' })
  filename!: string;

  @ContractField(() => String, { description: 'Scan status.', example: 'CLEAN', enum: [...SCAN_STATUSES] })
  scan_status!: ScanStatus;

  @ContractField(() => String, { description: 'The redaction of this rendition.', optional: true })
  redaction_id?: string;

  @ContractField(() => [String], { description: 'Members concerned.', example: ['M-1001'] })
  member_ids!: string[];

  @ContractField(() => [String], { description: 'Events to which it is attached.', example: [] })
  event_ids!: string[];
}
