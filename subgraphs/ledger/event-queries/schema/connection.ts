import { ArgsType, ObjectType } from 'type-graphql';
import type { Withheld } from '../../../../shared/consent/withheld.js';
import { ConnectionArgs, type Edge, edgeType, PageInfo } from '../../../../shared/graph/connection.js';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { enumType } from '../../../../shared/graph/enum-type.js';
import { SafeInteger } from '../../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS, WithheldType } from '../../../../shared/graph/withheld-page.js';
import { EventRecord } from '../../events/schema.js';
import { EventFilterInput } from './filter.js';

/** Orders of a connection of events; an index keeps each of them. */
const EventOrder = enumType('EventOrder', 'Order of events, for example EFFECTIVE_AT_DESC.', {
  EFFECTIVE_AT_DESC: 'By effective time, newest first.',
  EFFECTIVE_AT_ASC: 'By effective time, oldest first.',
});

@ArgsType()
export class EventConnectionArgs extends ConnectionArgs {
  @ContractField(() => EventFilterInput, { description: 'Which events; every event by default.', optional: true })
  filter?: EventFilterInput;

  @ContractField(() => EventOrder, { description: 'Order; the newest first by default.', optional: true })
  orderBy?: keyof typeof EventOrder;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;
}

const EventEdge = edgeType('EventEdge', () => EventRecord);

@ObjectType({ description: "Events of callers' own source systems, in order of time." })
export class EventConnection {
  @ContractField(() => [EventRecord], { description: 'The events of this page.' })
  nodes!: readonly EventRecord[];

  @ContractField(() => [EventEdge], { description: 'The events of this page with their places.', graphOnly: true })
  edges!: readonly Edge<EventRecord>[];

  @ContractField(() => PageInfo, { description: 'The place of this page.' })
  pageInfo!: PageInfo;

  @ContractField(() => SafeInteger, {
    description:
      'Number of events on all pages that the reader may see. The service verifies each event that it counts, and examines at most about 1,000.',
    example: 42,
  })
  totalCount!: number;

  @ContractField(() => Boolean, {
    description: 'False if `totalCount` is a lower estimate, because more events were left to examine.',
    example: true,
  })
  totalCountIsExact!: boolean;

  @ContractField(() => WithheldType, {
    description: 'Events of this page that consent withholds for the stated purpose; no node shows them.',
    optional: true,
  })
  withheld?: Withheld;
}
