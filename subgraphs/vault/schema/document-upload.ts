import { InputType, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import { SCAN_STATUSES, type ScanStatus } from '../domain/document-states.js';
import { EXAMPLE_DOCUMENT } from './document.js';

const SHA256 = { example: 'a3'.repeat(32), pattern: '^[0-9a-f]{64}$' };
const WORD = { minLength: 1, maxLength: 256 };
const SIZE = { example: 18_211, minimum: 1 };

@InputType({ description: 'A file that was stored, and what its sender says of it.' })
export class DocumentUploadInput {
  @ContractField(() => String, { description: 'SHA-256 of the stored bytes.', ...SHA256 })
  sha256!: string;

  @ContractField(() => SafeInteger, { description: 'How many they are.', ...SIZE })
  size!: number;

  @ContractField(() => String, { description: 'Says that the caller has sent them.', ...SHA256 })
  ticket!: string;

  @ContractField(() => String, {
    description: 'Media type as declared.',
    example: 'application/pdf',
    maxLength: 127,
    pattern: '^[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+$',
  })
  media_type!: string;

  @ContractField(() => String, { description: 'Name of the file.', example: 'denial.pdf', ...WORD })
  filename!: string;

  @ContractField(() => String, {
    description: 'Its title.',
    example: 'Notice of denial',
    optional: true,
    minLength: 1,
    maxLength: 500,
  })
  title?: string;

  @ContractField(() => String, { description: 'What kind it is.', example: 'DENIAL_LETTER', optional: true, ...WORD })
  document_type?: string;

  @ContractField(() => String, { description: 'Where it came from.', example: 'um-core', optional: true, ...WORD })
  source_system?: string;

  @ContractField(() => [String], {
    description: 'Members that it concerns.',
    example: ['M-1001'],
    optional: true,
    maxItems: 100,
    uniqueItems: true,
    items: WORD,
  })
  member_ids?: string[];

  @ContractField(() => [String], {
    description: 'Events that it is attached to.',
    example: [],
    optional: true,
    maxItems: 1_000,
    uniqueItems: true,
    items: WORD,
  })
  event_ids?: string[];

  @ContractField(() => String, { description: 'The legal matter that it belongs to.', optional: true, ...WORD })
  matter_id?: string;

  @ContractField(() => [String], {
    description: 'Words to find it by.',
    example: ['appeal'],
    optional: true,
    maxItems: 50,
    uniqueItems: true,
    items: { minLength: 1, maxLength: 64 },
  })
  tags?: string[];

  @ContractField(() => String, { description: 'When it took effect.', optional: true, format: 'date-time' })
  effective_at?: string;
}

@InputType({ description: 'What a reviewer of the quarantine decides.' })
export class QuarantineReviewInput {
  @ContractField(() => String, {
    description: 'Why.',
    example: 'A form of the state with a calculation in it.',
    minLength: 1,
    maxLength: 2_000,
    pattern: '\\S',
  })
  reason!: string;

  @ContractField(() => String, { description: 'Who looked at it.', example: 'j.doe', pattern: '\\S', ...WORD })
  reviewed_by!: string;
}

@ObjectType({ description: 'Which stored bytes a reader of a document gets.' })
export class DocumentContent {
  @ContractField(() => String, { description: 'The document.', example: EXAMPLE_DOCUMENT })
  document_id!: string;

  @ContractField(() => String, { description: 'SHA-256 of the bytes.', ...SHA256 })
  sha256!: string;

  @ContractField(() => SafeInteger, { description: 'How many they are.', ...SIZE })
  size!: number;

  @ContractField(() => String, { description: 'Their media type.', example: 'application/pdf' })
  media_type!: string;

  @ContractField(() => String, { description: 'Name of the file.', example: 'denial.pdf' })
  filename!: string;

  @ContractField(() => String, { description: 'What the scan says.', example: 'CLEAN', enum: [...SCAN_STATUSES] })
  scan_status!: ScanStatus;

  @ContractField(() => String, { description: 'The redaction whose rendition it is.', optional: true })
  redaction_id?: string;

  @ContractField(() => [String], { description: 'Members that it concerns.', example: ['M-1001'] })
  member_ids!: string[];

  @ContractField(() => [String], { description: 'Events that it is attached to.', example: [] })
  event_ids!: string[];
}
