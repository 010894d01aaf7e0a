import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS, withheldPageType } from '../../../shared/graph/withheld-page.js';
import {
  DOCUMENT_STATUSES,
  type DocumentAction,
  type DocumentStatus,
  SCAN_STATUSES,
  type ScanStatus,
} from '../domain/document-states.js';
import { TEXT_STATUSES, type TextStatus } from '../domain/text-states.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
export const EXAMPLE_DOCUMENT = 'doc_01JQ0000000000000000000001';
const EXAMPLE_SHA256 = 'a3'.repeat(32);
const TIME = { example: EXAMPLE_TIME, format: 'date-time' } as const;
const REFERENCE = { minLength: 1, maxLength: 256 };

@ObjectType({ description: 'What a check of the scan found.' })
export class ScanFindingShape {
  @ContractField(() => String, { description: 'The engine that found it.', example: 'built-in' })
  engine!: string;

  @ContractField(() => String, { description: 'What kind of thing it is.', example: 'PDF_JAVASCRIPT' })
  code!: string;

  @ContractField(() => String, { description: 'In words; names no content.', example: 'The PDF runs a script.' })
  detail!: string;
}

@ObjectType({ description: 'What the scan says of a document.' })
export class DocumentScanShape {
  @ContractField(() => String, { description: 'Where it stands.', example: 'CLEAN', enum: [...SCAN_STATUSES] })
  status!: ScanStatus;

  @ContractField(() => String, { description: 'Engines that were asked.', example: 'built-in', nullable: true })
  engine!: string | null;

  @ContractField(() => [ScanFindingShape], { description: 'What they found.', example: [] })
  findings!: ScanFindingShape[];

  @ContractField(() => String, { description: 'When.', nullable: true, ...TIME })
  scanned_at!: string | null;
}

@ObjectType({ description: 'How far the reading of its text for the search has come.' })
export class DocumentTextShape {
  @ContractField(() => String, { description: 'Where it stands.', example: 'READY', enum: [...TEXT_STATUSES] })
  status!: TextStatus;

  @ContractField(() => String, { description: 'Why it failed.', nullable: true, example: null })
  reason!: string | null;
}

@ObjectType({ description: 'What a reviewer of the quarantine decided.' })
export class DocumentReviewShape {
  @ContractField(() => String, { description: 'The decision.', example: 'RELEASED', enum: ['RELEASED', 'REJECTED'] })
  decision!: 'RELEASED' | 'REJECTED';

  @ContractField(() => String, { description: 'Why.', example: 'A form of the state with a calculation in it.' })
  reason!: string;

  @ContractField(() => String, { description: 'Who looked at it.', example: 'j.doe' })
  reviewed_by!: string;

  @ContractField(() => String, { description: 'When.', ...TIME })
  reviewed_at!: string;
}

@ObjectType({ description: 'One step of a document.' })
export class DocumentStep {
  @ContractField(() => Int, { description: 'Revision that it made.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'What was done.', example: 'upload' })
  action!: DocumentAction;

  @ContractField(() => String, { description: 'Status before.', nullable: true, enum: [...DOCUMENT_STATUSES] })
  from!: DocumentStatus | null;

  @ContractField(() => String, { description: 'Status after.', example: 'AVAILABLE', enum: [...DOCUMENT_STATUSES] })
  to!: DocumentStatus;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  by!: string;

  @ContractField(() => String, { description: "The key's actor.", nullable: true })
  actor_id!: string | null;
}

@ObjectType({ description: 'One upload; the same bytes are stored once, however many documents name them.' })
export class Document {
  @ContractField(() => String, { description: 'Identifier of the document.', example: EXAMPLE_DOCUMENT })
  document_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'SHA-256 of what this reader gets.', example: EXAMPLE_SHA256 })
  sha256!: string;

  @ContractField(() => SafeInteger, { description: 'Size of what this reader gets.', example: 18_211 })
  size!: number;

  @ContractField(() => String, { description: 'Media type.', example: 'application/pdf' })
  media_type!: string;

  @ContractField(() => String, { description: 'Name of the file, cleaned.', example: 'denial-letter.pdf' })
  filename!: string;

  @ContractField(() => String, { description: 'Its title.', nullable: true, example: 'Notice of denial' })
  title!: string | null;

  @ContractField(() => String, {
    description: 'What kind of document it is.',
    nullable: true,
    example: 'DENIAL_LETTER',
  })
  document_type!: string | null;

  @ContractField(() => String, { description: 'Where it came from.', nullable: true, example: 'um-core' })
  source_system!: string | null;

  @ContractField(() => String, {
    description: 'The member that it concerns, where it is one.',
    nullable: true,
    example: 'M-1001',
  })
  member_id!: string | null;

  @ContractField(() => [String], { description: 'Members that it concerns.', example: ['M-1001'] })
  member_ids!: string[];

  @ContractField(() => [String], { description: 'Events that it is attached to.', example: [] })
  event_ids!: string[];

  @ContractField(() => String, { description: 'The legal matter that it belongs to.', nullable: true })
  matter_id!: string | null;

  @ContractField(() => [String], { description: 'Words to find it by.', example: ['appeal'] })
  tags!: string[];

  @ContractField(() => String, { description: 'When it took effect.', nullable: true, ...TIME })
  effective_at!: string | null;

  @ContractField(() => String, { description: 'Where it stands.', example: 'AVAILABLE', enum: [...DOCUMENT_STATUSES] })
  status!: DocumentStatus;

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['attach', 'detach'] })
  allowed_actions!: string[];

  @ContractField(() => DocumentScanShape, { description: 'What the scan says.' })
  scan!: DocumentScanShape;

  @ContractField(() => DocumentTextShape, {
    description:
      'Of the content that this reader gets; only where one document is read. Without it nothing was read yet.',
    optional: true,
  })
  text?: DocumentTextShape;

  @ContractField(() => DocumentReviewShape, { description: 'What a reviewer decided.', nullable: true })
  review!: DocumentReviewShape | null;

  @ContractField(() => String, {
    description: 'The redaction that has been applied to it, if one has.',
    nullable: true,
    example: 'rdx_01JQ0000000000000000000001',
  })
  redaction_id!: string | null;

  @ContractField(() => Boolean, {
    description: 'Whether this reader gets the redacted rendition in place of the original.',
    example: false,
  })
  redacted!: boolean;

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it came.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that brought it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', ...TIME })
  updated_at!: string;

  @ContractField(() => [DocumentStep], { description: 'Its steps, oldest first.' })
  history!: DocumentStep[];
}

export const DocumentPage = withheldPageType('DocumentPage', () => Document);

/** Those that wait for a review, for whoever reviews them. */
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
  @ContractField(() => String, { description: 'Only about this member.', optional: true, ...REFERENCE })
  member_id?: string;

  @ContractField(() => String, { description: 'Only attached to this event.', optional: true, ...REFERENCE })
  event_id?: string;

  @ContractField(() => String, { description: 'Only of this legal matter.', optional: true, ...REFERENCE })
  matter_id?: string;

  @ContractField(() => String, { description: 'Only of this kind.', optional: true, ...REFERENCE })
  document_type?: string;

  @ContractField(() => String, { description: 'Only from there.', optional: true, ...REFERENCE })
  source_system?: string;

  @ContractField(() => String, { description: 'Only of this media type.', optional: true, ...REFERENCE })
  media_type?: string;

  @ContractField(() => String, { description: 'Only of this name.', optional: true, ...REFERENCE })
  filename?: string;

  @ContractField(() => String, { description: 'Only with this word.', optional: true, ...REFERENCE })
  tag?: string;

  @ContractField(() => String, { description: 'Only with this content.', optional: true, pattern: '^[0-9a-f]{64}$' })
  sha256?: string;

  @ContractField(() => String, { description: 'Came at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Came before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@ArgsType()
export class DocumentFilter extends QuarantineFilter {
  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;

  @ContractField(() => String, { description: 'Only that stand here.', optional: true, enum: [...DOCUMENT_STATUSES] })
  status?: DocumentStatus;

  @ContractField(() => String, { description: 'Only with this scan.', optional: true, enum: [...SCAN_STATUSES] })
  scan_status?: ScanStatus;
}
