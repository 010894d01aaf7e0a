import { ArgsType, type ClassType, Directive, Extensions, ObjectType } from 'type-graphql';
import type { WithheldReason } from '../consent/verdict.js';
import { CONTENT_KINDS, TIMELINE_KINDS, type TimelineKind } from '../timeline/kinds.js';
import { CONTRACT, type ContractExtension, ContractField } from './contract-field.js';
import { CODE_FILTER, OUTCOME_FILTER, PROVIDER_FILTER } from './event-filters.js';
import { PlaceArgs } from './page.js';
import { JsonScalar } from './scalars.js';
import { PURPOSE_OPTIONS } from './withheld-page.js';

@ObjectType('TimelineEntry', { description: 'One record on the timeline of a member.' })
@Directive('@shareable')
class TimelineEntryType {
  @ContractField(() => String, { description: 'Kind of the record.', example: 'EVENT', enum: [...TIMELINE_KINDS] })
  kind!: TimelineKind;

  @ContractField(() => String, { description: 'Identifier of the record.', example: 'evt_01JQ0000000000000000000001' })
  id!: string;

  @ContractField(() => String, {
    description: 'Time of the record; docs/timeline.md lists the time of each kind.',
    example: '2026-03-02T14:11:09.123Z',
    format: 'date-time',
  })
  at!: string;

  @ContractField(() => String, { description: 'Member identifier in the record.', example: 'M-1001' })
  member_id!: string;

  @ContractField(() => String, { description: 'Type of the record.', example: 'claim_submitted', nullable: true })
  type!: string | null;

  @ContractField(() => String, { description: 'Outcome or status.', example: 'denied', nullable: true })
  status!: string | null;

  @ContractField(() => String, { description: 'Source system.', example: 'claims-837', nullable: true })
  source_system!: string | null;

  @ContractField(() => JsonScalar, { description: 'The record as this caller may see it.', nullable: true })
  record!: object | null;

  @ContractField(() => String, {
    description: 'Reason why consent withholds the record; then only its place is shown.',
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

  @ContractField(() => String, { description: 'Last position read, if there are more.', nullable: true })
  next_cursor!: string | null;
}

/** A filter by content leaves out records of other kinds. */
const onlyEvents = <T extends { readonly description: string }>(filter: T): T => ({
  ...filter,
  description: `${filter.description} Leaves out all kinds but ${[...CONTENT_KINDS].join(' and ')}.`,
});

/** What a page is asked for by; every kind takes the same. */
@ArgsType()
export class TimelineArgs extends PlaceArgs {
  /** A record is read from its beginning, unlike the lists. */
  @ContractField(() => String, {
    description: 'Direction of time; oldest first by default.',
    optional: true,
    enum: ['asc', 'desc'],
  })
  order?: 'asc' | 'desc';

  @ContractField(() => String, {
    description: `Kinds, separated by commas: ${TIMELINE_KINDS.join(', ')}; all by default.`,
    example: 'EVENT,DOCUMENT',
    optional: true,
    minLength: 1,
    maxLength: 256,
  })
  kinds?: string;

  @ContractField(() => String, onlyEvents(CODE_FILTER))
  code?: string;

  @ContractField(() => String, onlyEvents(PROVIDER_FILTER))
  provider?: string;

  @ContractField(() => String, onlyEvents(OUTCOME_FILTER))
  outcome?: string;

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
    description: 'A member under one identifier, with the records of each subgraph.',
  })
  @Directive('@key(fields: "member_id")')
  @Extensions({ [CONTRACT]: { parts: true } satisfies ContractExtension })
  class TimelineMemberOf {
    @ContractField(() => String, { description: 'Member identifier.', example: 'M-1001' })
    member_id!: string;
  }
  return TimelineMemberOf;
}
