import { ArgsType, Directive, Float, InputType, Int, ObjectType } from 'type-graphql';
import { EXCEPTION_KINDS } from '../../../shared/contracts/exceptions.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { enumType } from '../../../shared/graph/enum-type.js';
import { groupedBy, WindowedGroupArgs } from '../../../shared/graph/group-args.js';
import { RecordType } from '../../../shared/graph/members.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { stepOf } from '../../../shared/graph/step-type.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import { AGE_BUCKETS, type AgeBucket } from './domain/ages.js';
import { type ExceptionKind, SEVERITIES, type Severity } from './domain/kinds.js';
import {
  EXCEPTION_SOURCES,
  EXCEPTION_STATUSES,
  type ExceptionAction,
  type ExceptionSource,
  type ExceptionStatus,
} from './domain/states.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const ID = { example: 'exc_01JQ0000000000000000000001' } as const;
const OBJECT = { type: 'object' } as const;
const STATUS = { enum: [...EXCEPTION_STATUSES] };

@RecordType({ name: 'ExceptionStepRecord', description: 'One step of an exception.' })
class ExceptionStepRecord extends stepOf<ExceptionStatus, ExceptionAction>(EXCEPTION_STATUSES, 'open') {
  @ContractField(() => String, { description: 'Note of the step.', nullable: true })
  note!: string | null;
}

@ObjectType({ description: 'Why an exception is a known gap, and until when.' })
class KnownGapRecord {
  @ContractField(() => String, { description: 'Why.', example: 'The clearinghouse was down that night.' })
  reason!: string;

  @ContractField(() => String, { description: 'When it reopens; null for never.', nullable: true, ...TIME })
  until!: string | null;
}

@Directive('@key(fields: "exception_id")')
@ObjectType('Exception', { description: 'A problem that needs an operator.' })
export class ExceptionRecord {
  @ContractField(() => String, { description: 'Identifier of the exception.', ...ID })
  exception_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, {
    description: 'Kind of problem.',
    example: 'PARSE_FAILED',
    enum: [...EXCEPTION_KINDS],
  })
  kind!: ExceptionKind;

  @ContractField(() => String, { description: 'Severity of the problem.', example: 'MEDIUM', enum: [...SEVERITIES] })
  severity!: Severity;

  @ContractField(() => String, { description: 'Status of the exception.', example: 'OPEN', ...STATUS })
  status!: ExceptionStatus;

  @ContractField(() => [String], { description: 'Actions that are possible now.', example: ['assign', 'resolve'] })
  allowed_actions!: string[];

  @ContractField(() => String, {
    description: 'Part of the service that found it.',
    example: 'INGEST',
    enum: [...EXCEPTION_SOURCES],
  })
  source!: ExceptionSource;

  @ContractField(() => JsonScalar, {
    description: 'Subject: kind and identifiers.',
    shape: OBJECT,
    example: { kind: 'EVENT', id: 'evt_01JQ0000000000000000000001' },
  })
  subject!: JsonObject;

  @ContractField(() => JsonScalar, {
    description: 'What happened, with everything that an operator needs; docs/exceptions.md lists the members by kind.',
    shape: OBJECT,
    example: { code: 'ELEMENT_MISSING', segment: 'CLM', byte_offset: 812 },
  })
  detail!: JsonObject;

  @ContractField(() => String, {
    description: 'Meaning of the kind.',
    example: 'A part of a raw message could not be read.',
  })
  meaning!: string;

  @ContractField(() => String, { description: 'What to do about it.', example: 'Have the sender correct it.' })
  advice!: string;

  @ContractField(() => String, { description: 'SHA-256 of the raw body that it came with.', optional: true })
  raw_sha256!: string | null;

  @ContractField(() => Int, { description: 'Number of reports while it was not resolved.', example: 1 })
  occurrences!: number;

  @ContractField(() => String, { description: 'Time of the last report.', ...TIME })
  last_seen_at!: string;

  @ContractField(() => String, { description: 'User who works on it.', optional: true })
  assigned_to!: string | null;

  @ContractField(() => String, { description: 'How it was resolved; CLEARED: its cause has gone.', optional: true })
  resolution!: string | null;

  @ContractField(() => String, { description: 'Note of the resolution.', optional: true })
  resolution_note!: string | null;

  @ContractField(() => String, { description: 'When it was resolved.', optional: true, format: 'date-time' })
  resolved_at!: string | null;

  @ContractField(() => KnownGapRecord, { description: 'Why it is a known gap.', optional: true })
  known_gap!: KnownGapRecord | null;

  @ContractField(() => Int, { description: 'Number of its steps.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was opened.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'Time of its last step.', ...TIME })
  updated_at!: string;

  @ContractField(() => [ExceptionStepRecord], { description: 'Its steps, oldest first.' })
  history!: ExceptionStepRecord[];
}

/** Check of stored exceptions: absent members are null in the row. */
export const EXCEPTION_ROW = rowCheckOf(ExceptionRecord, {
  own: {
    subject_key: 'text',
    subject_ids: 'json',
    raw_sha256: 'text?',
    assigned_to: 'text?',
    resolution: 'text?',
    resolution_note: 'text?',
    resolved_at: 'time?',
    known_gap: 'json?',
  },
  omitted: ['meaning', 'advice'],
});

export const ExceptionPage = pageType('ExceptionPage', () => ExceptionRecord);

@ArgsType()
export class ExceptionFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only this kind.', optional: true, enum: [...EXCEPTION_KINDS] })
  kind?: ExceptionKind;

  @ContractField(() => String, { description: 'Only exceptions with this status.', optional: true, ...STATUS })
  status?: ExceptionStatus;

  @ContractField(() => String, {
    description: 'Only exceptions of this severity.',
    optional: true,
    enum: [...SEVERITIES],
  })
  severity?: Severity;

  @ContractField(() => String, {
    description: 'Only exceptions that this part found.',
    optional: true,
    enum: [...EXCEPTION_SOURCES],
  })
  source?: ExceptionSource;

  @ContractField(() => String, {
    description: 'Only exceptions that this user works on.',
    optional: true,
    maxLength: 256,
  })
  assigned_to?: string;

  @ContractField(() => String, {
    description: 'Only exceptions about this kind of subject.',
    optional: true,
    maxLength: 64,
  })
  subject_kind?: string;

  @ContractField(() => String, {
    description: 'Only exceptions about this identifier or hash of the subject.',
    optional: true,
    maxLength: 512,
  })
  subject_id?: string;

  @ContractField(() => String, { description: 'Opened at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Opened before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@ObjectType({ description: 'Unresolved exceptions of one kind and age.' })
class ExceptionSummaryGroup {
  @ContractField(() => String, { description: 'Kind of problem.', example: 'PARSE_FAILED', enum: [...EXCEPTION_KINDS] })
  kind!: ExceptionKind;

  @ContractField(() => String, { description: 'Age in whole days.', example: 'DAYS_8_30', enum: [...AGE_BUCKETS] })
  age!: AgeBucket;

  @ContractField(() => Int, { description: 'Number of exceptions.', example: 3 })
  count!: number;

  @ContractField(() => String, { description: 'When the oldest was opened.', ...TIME })
  oldest_at!: string;
}

@ObjectType({ description: 'Unresolved exceptions by kind and age.' })
export class ExceptionSummary {
  @ContractField(() => String, { description: 'The time by which ages are counted.', ...TIME })
  as_of!: string;

  @ContractField(() => Int, { description: 'Number of unresolved exceptions.', example: 7 })
  count!: number;

  @ContractField(() => [ExceptionSummaryGroup], { description: 'By kind, then by age, the youngest first.' })
  items!: readonly ExceptionSummaryGroup[];
}

const ExceptionDimension = enumType('ExceptionDimension', 'A value that groups exceptions, for example KIND.', {
  KIND: 'Kind of problem.',
  STATUS: 'Status.',
  SEVERITY: 'Severity.',
  SOURCE: 'What found the problem.',
  MONTH: 'Month in UTC in which the exception was opened.',
});

@ArgsType()
export class ExceptionAggregateArgs extends WindowedGroupArgs {
  @ContractField(() => [ExceptionDimension], {
    description: 'Values that group the exceptions; an empty list makes one group.',
    example: ['KIND', 'MONTH'],
    maxItems: 5,
    uniqueItems: true,
  })
  by!: (keyof typeof ExceptionDimension)[];
}

@ObjectType({ description: 'Exceptions with the same values.' })
class ExceptionAggregateGroup {
  @ContractField(() => String, groupedBy('Kind of problem', 'PARSE_FAILED'))
  kind!: string | null;

  @ContractField(() => String, groupedBy('Status', 'OPEN'))
  status!: string | null;

  @ContractField(() => String, groupedBy('Severity', 'HIGH'))
  severity!: string | null;

  @ContractField(() => String, groupedBy('What found the problem', 'INGEST'))
  source!: string | null;

  @ContractField(() => String, groupedBy('Month in UTC', '2026-03'))
  month!: string | null;

  @ContractField(() => Int, { description: 'Number of exceptions.', example: 8 })
  count!: number;

  @ContractField(() => Int, { description: 'Number of resolved exceptions.', example: 5 })
  resolved!: number;

  @ContractField(() => Float, {
    description: 'Mean days from opening to resolution; null if none is resolved.',
    nullable: true,
    example: 2.5,
  })
  days_to_resolution!: number | null;
}

@ObjectType({ description: 'Groups of exceptions with their figures.' })
export class ExceptionAggregate {
  @ContractField(() => Int, { description: 'Number of exceptions.', example: 40 })
  count!: number;

  @ContractField(() => [ExceptionAggregateGroup], { description: 'The groups, the largest first.' })
  items!: readonly ExceptionAggregateGroup[];

  @ContractField(() => Boolean, { description: 'Whether there are more groups than shown.', example: false })
  truncated!: boolean;
}

const WORDS = { minLength: 1, maxLength: 4_000 } as const;

const REVISION = {
  description: 'Revision that the caller has read; another current revision is a CONFLICT.',
  optional: true,
  minimum: 1,
} as const;

@InputType({ description: 'The user who is to work on an exception.' })
export class ExceptionAssignment {
  @ContractField(() => String, {
    description: 'The user who works on it from now on.',
    example: 'act_01JQ0000000000000000000001',
    minLength: 1,
    maxLength: 256,
  })
  assignee!: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: 'How an exception was resolved.' })
export class ExceptionResolution {
  @ContractField(() => String, {
    description: 'The resolution, in a few words.',
    example: 'CORRECTED_AT_SOURCE',
    minLength: 1,
    maxLength: 128,
  })
  resolution!: string;

  @ContractField(() => String, { description: 'Further note.', optional: true, ...WORDS })
  note?: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}

@InputType({ description: 'Why an exception is a known gap.' })
export class KnownGapInput {
  @ContractField(() => String, {
    description: 'Why.',
    example: 'The clearinghouse was down that night.',
    ...WORDS,
  })
  reason!: string;

  @ContractField(() => String, {
    description: 'When it reopens; never if absent.',
    optional: true,
    format: 'date-time',
    maxLength: 64,
  })
  until?: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}
