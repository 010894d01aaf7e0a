import { ArgsType, Directive, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, patchOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { briefStepOf } from '../../../shared/graph/step-type.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import { AGREED_FAULTS, type AgreedFault } from '../formats/domain.js';
import { FEED_STATUSES, type FeedState, type FeedStatus } from './domain/states.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const TIME = { example: EXAMPLE_TIME, format: 'date-time' } as const;
const EXAMPLE_FEED = 'fed_01JQ0000000000000000000001';
const SYSTEM = { example: 'um-core', minLength: 1, maxLength: 128, pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$' };
const FORMAT = { example: 'x12', enum: ['json', 'x12', 'hl7v2', 'fhir', 'ncpdp', 'cda'] };
const TEXT = { maxLength: 2_000 };
/** 31 days: the longest interval that a sweep is useful for. */
const MAX_SECONDS = 2_678_400;
const INTERVAL = { example: 3_600, minimum: 1, maximum: MAX_SECONDS };
const GRACE = { example: 300, minimum: 0, maximum: MAX_SECONDS };

const AGREED = { maxItems: AGREED_FAULTS.length, uniqueItems: true, items: { enum: [...AGREED_FAULTS] } };
const DAY = { example: '2026-03-02', format: 'date' } as const;

/** The members that callers give to a feed; each is one field of the input, the patch and the answer. */
export abstract class SourceFeedMembers {
  @Member(() => String, { description: 'Source system that sends the events.', ...SYSTEM })
  source_system!: string;

  @Member(() => String, {
    description: 'Format of the messages.',
    nullable: true,
    ...FORMAT,
    shown: { example: undefined, enum: undefined },
  })
  format!: string | null;

  @Member(() => String, { description: 'Description for operators.', nullable: true, ...TEXT })
  description!: string | null;

  @Member(() => Int, { description: 'Longest time between two signs of life, in seconds.', ...INTERVAL })
  expected_interval_seconds!: number;

  @Member(() => Int, { description: 'Further seconds before the feed is stale; 0 by default.', ...GRACE })
  grace_seconds!: number;

  @Member(() => [String], {
    description: 'Faults that this sender of X12 always makes, and which are agreed; they become marked warnings.',
    nullable: true,
    ...AGREED,
    shown: { items: { enum: [...AGREED_FAULTS] } },
  })
  agreed_faults!: readonly AgreedFault[] | null;

  @Member(() => String, { description: 'First day (UTC) of the agreement.', nullable: true, ...DAY })
  agreed_from!: string | null;

  @Member(() => String, { description: 'Last day (UTC) of the agreement.', nullable: true, ...DAY })
  agreed_until!: string | null;
}

@RecordInput({ description: 'A new source feed.' })
export class SourceFeedInput extends inputOf(SourceFeedMembers, { grace_seconds: 0 }) {}

@RecordInput({ description: 'Changes of a source feed: null removes a value, an absent member stays.' })
export class SourceFeedPatch extends patchOf(SourceFeedMembers, 'source_system') {
  @ContractField(() => String, {
    description: 'PAUSED pauses the feed. HEALTHY resumes it, and its interval starts again.',
    optional: true,
    enum: ['HEALTHY', 'PAUSED'],
  })
  status?: 'HEALTHY' | 'PAUSED';

  @ContractField(() => Int, {
    description: 'Revision that the caller has read; CONFLICT if the feed has another one.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@RecordType({ description: 'One step of a source feed.' })
class SourceFeedStep extends briefStepOf('HEALTHY') {}

@Directive('@key(fields: "feed_id")')
@RecordType({ description: 'The promise of a source system to send a sign of life regularly.' })
export class SourceFeed extends outputOf(SourceFeedMembers) {
  @ContractField(() => String, { description: 'Identifier of the feed.', example: EXAMPLE_FEED })
  feed_id!: string;

  @ContractField(() => String, { description: 'Tenant of the feed.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, {
    description: 'Status as of the last sweep or sign of life.',
    example: 'HEALTHY',
    enum: [...FEED_STATUSES, 'DELETED'],
  })
  status!: FeedState;

  @ContractField(() => [String], { description: 'Actions allowed now.', example: ['pause', 'update', 'delete'] })
  allowed_actions!: string[];

  @ContractField(() => String, { description: 'Time of the last heartbeat.', nullable: true, ...TIME })
  last_heartbeat_at!: string | null;

  @ContractField(() => String, {
    description: 'Time at which the last event of the source system was recorded; it counts as a heartbeat.',
    nullable: true,
    ...TIME,
  })
  last_event_at!: string | null;

  @ContractField(() => String, { description: 'Deadline; null while the feed is paused.', nullable: true, ...TIME })
  due_at!: string | null;

  @ContractField(() => Int, { description: 'Number of the current revision.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'Time of registration.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'Key that registered it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'Time of the last change.', ...TIME })
  updated_at!: string;

  @ContractField(() => [SourceFeedStep], { description: 'The latest 50 steps, oldest first.' })
  history!: SourceFeedStep[];
}

/** Check of stored feeds: a paused feed keeps its deadline. */
export const FEED_ROW = rowCheckOf(SourceFeed, { own: { watched_from: 'time', due_at: 'time' } });

export const SourceFeedPage = pageType('SourceFeedPage', () => SourceFeed);

@ArgsType()
export class SourceFeedFilter extends PageArgs {
  @ContractField(() => String, {
    description: 'Only feeds with this status.',
    optional: true,
    enum: [...FEED_STATUSES],
  })
  status?: FeedStatus;

  @ContractField(() => String, { description: 'Only the feed of this source system.', optional: true, maxLength: 128 })
  source_system?: string;

  @ContractField(() => String, { description: 'Only feeds with this format.', optional: true, ...FORMAT })
  format?: string;

  @ContractField(() => String, { description: 'Registered at this time or later.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Registered before this time.', optional: true, ...TIME })
  to?: string;
}

@ObjectType({ description: 'Result of a sweep.' })
export class SourceFeedSweep {
  @ContractField(() => Int, { description: 'Number of feeds that were stale or past their deadline.', example: 2 })
  judged!: number;

  @ContractField(() => [String], { description: 'Feeds that became stale.', example: [EXAMPLE_FEED] })
  became_stale!: string[];

  @ContractField(() => [String], { description: 'Feeds that became healthy again.', example: [] })
  recovered!: string[];
}
