import { ArgsType, Int, ObjectType } from 'type-graphql';
import { EXCEPTION_KINDS } from '../../../shared/contracts/exceptions.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type ExceptionKind, SEVERITIES, type Severity } from '../domain/exception-kinds.js';
import {
  EXCEPTION_SOURCES,
  EXCEPTION_STATUSES,
  type ExceptionAction,
  type ExceptionSource,
  type ExceptionStatus,
} from '../domain/exception-states.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const ID = { example: 'exc_01JQ0000000000000000000001' } as const;
const OBJECT = { type: 'object' } as const;
const STATUS = { enum: [...EXCEPTION_STATUSES] };

@ObjectType({ description: 'One step of an exception.' })
export class ExceptionStepRecord {
  @ContractField(() => Int, { description: 'Revision that it made.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'What was done.', example: 'open' })
  action!: ExceptionAction;

  @ContractField(() => String, { description: 'Status before.', nullable: true, ...STATUS })
  from!: ExceptionStatus | null;

  @ContractField(() => String, { description: 'Status after.', example: 'OPEN', ...STATUS })
  to!: ExceptionStatus;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;

  @ContractField(() => String, {
    description: 'The key that did it, or the part of the service.',
    example: 'service:ledger',
  })
  by!: string;

  @ContractField(() => String, { description: "The key's actor.", nullable: true })
  actor_id!: string | null;

  @ContractField(() => String, { description: 'What was said with it.', nullable: true })
  note!: string | null;
}

@ObjectType({ description: 'Why an exception is bearable, and until when.' })
export class KnownGapRecord {
  @ContractField(() => String, { description: 'Why.', example: 'The clearinghouse was down that night.' })
  reason!: string;

  @ContractField(() => String, { description: 'It reopens then; null stays.', nullable: true, ...TIME })
  until!: string | null;
}

@ObjectType('Exception', { description: 'Something that needs an operator.' })
export class ExceptionRecord {
  @ContractField(() => String, { description: 'Identifier of the exception.', ...ID })
  exception_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, {
    description: 'What has happened.',
    example: 'PARSE_FAILED',
    enum: [...EXCEPTION_KINDS],
  })
  kind!: ExceptionKind;

  @ContractField(() => String, { description: 'How pressing it is.', example: 'MEDIUM', enum: [...SEVERITIES] })
  severity!: Severity;

  @ContractField(() => String, { description: 'Where it stands.', example: 'OPEN', ...STATUS })
  status!: ExceptionStatus;

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['assign', 'resolve'] })
  allowed_actions!: string[];

  @ContractField(() => String, { description: 'Who found it.', example: 'INGEST', enum: [...EXCEPTION_SOURCES] })
  source!: ExceptionSource;

  @ContractField(() => JsonScalar, {
    description: 'What it is about: kind and identifiers.',
    shape: OBJECT,
    example: { kind: 'EVENT', id: 'evt_01JQ0000000000000000000001' },
  })
  subject!: JsonObject;

  @ContractField(() => JsonScalar, {
    description: 'What happened, with what an operator needs; members by kind in docs/exceptions.md.',
    shape: OBJECT,
    example: { code: 'ELEMENT_MISSING', segment: 'CLM', byte_offset: 812 },
  })
  detail!: JsonObject;

  @ContractField(() => String, {
    description: 'What the kind means.',
    example: 'A part of a raw message could not be read.',
  })
  meaning!: string;

  @ContractField(() => String, { description: 'What to do about it.', example: 'Have the sender correct it.' })
  advice!: string;

  @ContractField(() => String, { description: 'SHA-256 of the raw body that it came with.', optional: true })
  raw_sha256?: string;

  @ContractField(() => Int, { description: 'How often it was told while it was not resolved.', example: 1 })
  occurrences!: number;

  @ContractField(() => String, { description: 'When it was last told.', ...TIME })
  last_seen_at!: string;

  @ContractField(() => String, { description: 'Who works on it.', optional: true })
  assigned_to?: string;

  @ContractField(() => String, { description: 'How it ended; CLEARED: it has righted itself.', optional: true })
  resolution?: string;

  @ContractField(() => String, { description: 'What was said at its end.', optional: true })
  resolution_note?: string;

  @ContractField(() => String, { description: 'When it ended.', optional: true, format: 'date-time' })
  resolved_at?: string;

  @ContractField(() => KnownGapRecord, { description: 'Why it is bearable.', optional: true })
  known_gap?: KnownGapRecord;

  @ContractField(() => Int, { description: 'Counts its steps.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was opened.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'When its last step was.', ...TIME })
  updated_at!: string;

  @ContractField(() => [ExceptionStepRecord], { description: 'Its steps, oldest first.' })
  history!: ExceptionStepRecord[];
}

export const ExceptionPage = pageType('ExceptionPage', () => ExceptionRecord);

@ArgsType()
export class ExceptionFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only this kind.', optional: true, enum: [...EXCEPTION_KINDS] })
  kind?: ExceptionKind;

  @ContractField(() => String, { description: 'Only those that stand here.', optional: true, ...STATUS })
  status?: ExceptionStatus;

  @ContractField(() => String, { description: 'Only those that press so.', optional: true, enum: [...SEVERITIES] })
  severity?: Severity;

  @ContractField(() => String, { description: 'Only those found there.', optional: true, enum: [...EXCEPTION_SOURCES] })
  source?: ExceptionSource;

  @ContractField(() => String, { description: 'Only those that they work on.', optional: true, maxLength: 256 })
  assigned_to?: string;

  @ContractField(() => String, { description: 'Only those about this kind of thing.', optional: true, maxLength: 64 })
  subject_kind?: string;

  @ContractField(() => String, {
    description: 'Only those about this: any identifier or hash of the subject.',
    optional: true,
    maxLength: 512,
  })
  subject_id?: string;

  @ContractField(() => String, { description: 'Opened at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Opened before this time.', optional: true, format: 'date-time' })
  to?: string;
}
