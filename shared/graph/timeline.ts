import { ArgsType, type ClassType, Directive, Extensions, ObjectType } from 'type-graphql';
import type { WithheldReason } from '../consent/verdict.js';
import { TIMELINE_KINDS, type TimelineKind } from '../timeline/kinds.js';
import { CONTRACT, type ContractExtension, ContractField } from './contract-field.js';
import { PlaceArgs } from './page.js';
import { JsonScalar } from './scalars.js';
import { PURPOSE_OPTIONS } from './withheld-page.js';

@ObjectType('TimelineEntry', { description: 'One record on the timeline of a member.' })
@Directive('@shareable')
export class TimelineEntryType {
  @ContractField(() => String, { description: 'What it is.', example: 'EVENT', enum: [...TIMELINE_KINDS] })
  kind!: TimelineKind;

  @ContractField(() => String, { description: 'The record.', example: 'evt_01JQ0000000000000000000001' })
  id!: string;

  @ContractField(() => String, {
    description: 'When it happened; docs/timeline.md says which time of each kind.',
    example: '2026-03-02T14:11:09.123Z',
    format: 'date-time',
  })
  at!: string;

  @ContractField(() => String, { description: 'The identifier that it stands under.', example: 'M-1001' })
  member_id!: string;

  @ContractField(() => String, { description: 'Its type.', example: 'claim_submitted', nullable: true })
  type!: string | null;

  @ContractField(() => String, { description: 'Its outcome or status.', example: 'denied', nullable: true })
  status!: string | null;

  @ContractField(() => String, { description: 'Where it comes from.', example: 'claims-837', nullable: true })
  source_system!: string | null;

  @ContractField(() => JsonScalar, { description: 'The record as this reader may see it.', nullable: true })
  record!: object | null;

  @ContractField(() => String, {
    description: 'Why consent keeps it out; then its place alone is told.',
    nullable: true,
    graphOnly: true,
  })
  withheld!: WithheldReason | null;
}

@ObjectType('TimelinePart', { description: 'A page of one kind, under one identifier of the member.' })
@Directive('@shareable')
export class TimelinePartType {
  @ContractField(() => [TimelineEntryType], { description: 'In order of time.' })
  items!: readonly TimelineEntryType[];

  @ContractField(() => String, { description: 'The last place looked at, where there is more.', nullable: true })
  next_cursor!: string | null;
}

/** What a page is asked for by; every kind takes the same. */
@ArgsType()
export class TimelineArgs extends PlaceArgs {
  /** A record is read from its beginning, unlike the lists. */
  @ContractField(() => String, {
    description: 'Direction of time; oldest first unless told.',
    optional: true,
    enum: ['asc', 'desc'],
  })
  order?: 'asc' | 'desc';

  @ContractField(() => String, {
    description: `Kinds, parted by commas: ${TIMELINE_KINDS.join(', ')}; all unless told.`,
    example: 'EVENT,DOCUMENT',
    optional: true,
    minLength: 1,
    maxLength: 256,
  })
  kinds?: string;

  @ContractField(() => String, { description: 'At this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Before this time.', optional: true, format: 'date-time' })
  to?: string;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;
}

export interface TimelineMember {
  member_id: string;
}

/**
 * The member as the timeline joins them: an entity that every subgraph gives its own kinds to. It is reached through
 * `memberTimeline` alone, which writes custody before anything is read. A class for each subgraph: type-graphql keeps the
 * fields of a class once for the whole process.
 */
export function timelineMemberType(): ClassType<TimelineMember> {
  @ObjectType('TimelineMember', {
    description: 'A member under one identifier, with what each subgraph knows of them.',
  })
  @Directive('@key(fields: "member_id")')
  @Extensions({ [CONTRACT]: { parts: true } satisfies ContractExtension })
  class TimelineMemberOf {
    @ContractField(() => String, { description: 'The identifier.', example: 'M-1001' })
    member_id!: string;
  }
  return TimelineMemberOf;
}
