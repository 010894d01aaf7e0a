import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { FEED_STATUSES, type FeedState, type FeedStatus } from '../domain/feed-states.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const TIME = { example: EXAMPLE_TIME, format: 'date-time' } as const;
const EXAMPLE_FEED = 'fed_01JQ0000000000000000000001';
const SYSTEM = { example: 'um-core', minLength: 1, maxLength: 128, pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$' };
const FORMAT = { example: 'x12', enum: ['json', 'x12', 'hl7v2', 'fhir', 'ncpdp'] };
const TEXT = { maxLength: 2_000 };
/** Thirty-one days: a feed that is heard of more seldom is no feed. */
const MAX_SECONDS = 2_678_400;
const INTERVAL = { example: 3_600, minimum: 1, maximum: MAX_SECONDS };
const GRACE = { example: 300, minimum: 0, maximum: MAX_SECONDS };

@InputType({ description: 'A source feed to be watched.' })
export class SourceFeedInput {
  @ContractField(() => String, { description: 'Originating system whose events it brings.', ...SYSTEM })
  source_system!: string;

  @ContractField(() => String, { description: 'What it sends.', optional: true, ...FORMAT })
  format?: string;

  @ContractField(() => String, { description: 'What it is, for operators.', optional: true, ...TEXT })
  description?: string;

  @ContractField(() => Int, { description: 'It is to be heard of this often.', ...INTERVAL })
  expected_interval_seconds!: number;

  @ContractField(() => Int, { description: 'So much later it is stale; 0 unless told.', optional: true, ...GRACE })
  grace_seconds?: number;
}

@InputType({ description: 'Changes of a source feed: absent stays, null takes away.' })
export class SourceFeedPatch {
  @ContractField(() => String, { description: 'What it sends.', optional: true, nullable: true, ...FORMAT })
  format?: string | null;

  @ContractField(() => String, { description: 'What it is.', optional: true, nullable: true, ...TEXT })
  description?: string | null;

  @ContractField(() => Int, { description: 'It is to be heard of this often.', optional: true, ...INTERVAL })
  expected_interval_seconds?: number;

  @ContractField(() => Int, { description: 'So much later it is stale.', optional: true, ...GRACE })
  grace_seconds?: number;

  @ContractField(() => String, {
    description: 'PAUSED pauses it: it is not expected. HEALTHY ends the pause, and the interval begins anew.',
    optional: true,
    enum: ['HEALTHY', 'PAUSED'],
  })
  status?: 'HEALTHY' | 'PAUSED';

  @ContractField(() => Int, {
    description: 'The revision that this change is made on; CONFLICT when another one stands.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@ObjectType({ description: 'One change of a source feed.' })
export class SourceFeedStep {
  @ContractField(() => Int, { description: 'Revision that it made.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'What was done.', example: 'create' })
  action!: string;

  @ContractField(() => String, { description: 'Status before.', nullable: true })
  from!: string | null;

  @ContractField(() => String, { description: 'Status after.', example: 'HEALTHY' })
  to!: string;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;

  @ContractField(() => String, {
    description: 'The key that did it, or service:feeds.',
    example: 'key_01JQ0000000000000000000001',
  })
  by!: string;
}

@ObjectType({ description: 'The promise of a source system to be heard of so often.' })
export class SourceFeed {
  @ContractField(() => String, { description: 'Identifier of the feed.', example: EXAMPLE_FEED })
  feed_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Originating system whose events it brings.', example: 'um-core' })
  source_system!: string;

  @ContractField(() => String, { description: 'What it sends.', nullable: true })
  format!: string | null;

  @ContractField(() => String, { description: 'What it is.', nullable: true })
  description!: string | null;

  @ContractField(() => Int, { description: 'It is to be heard of this often.', example: 3_600 })
  expected_interval_seconds!: number;

  @ContractField(() => Int, { description: 'So much later it is stale.', example: 300 })
  grace_seconds!: number;

  @ContractField(() => String, {
    description: 'Where it stands, as of the last sweep or sign of life.',
    example: 'HEALTHY',
    enum: [...FEED_STATUSES, 'DELETED'],
  })
  status!: FeedState;

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['pause', 'update', 'delete'] })
  allowed_actions!: string[];

  @ContractField(() => String, { description: 'When it last sent a heartbeat.', nullable: true, ...TIME })
  last_heartbeat_at!: string | null;

  @ContractField(() => String, {
    description: 'When the last event of its source system was recorded; that counts as a heartbeat.',
    nullable: true,
    ...TIME,
  })
  last_event_at!: string | null;

  @ContractField(() => String, { description: 'When it goes stale; null while it is paused.', nullable: true, ...TIME })
  due_at!: string | null;

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was registered.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', ...TIME })
  updated_at!: string;

  @ContractField(() => [SourceFeedStep], { description: 'Its latest 50 changes, oldest first.' })
  history!: SourceFeedStep[];
}

export const SourceFeedPage = pageType('SourceFeedPage', () => SourceFeed);

@ArgsType()
export class SourceFeedFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only feeds that stand here.', optional: true, enum: [...FEED_STATUSES] })
  status?: FeedStatus;

  @ContractField(() => String, { description: 'The feed of this system.', optional: true, maxLength: 128 })
  source_system?: string;

  @ContractField(() => String, { description: 'Only feeds that send this.', optional: true, ...FORMAT })
  format?: string;

  @ContractField(() => String, { description: 'Registered at this time or later.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Registered before this time.', optional: true, ...TIME })
  to?: string;
}

@ObjectType({ description: 'What a sweep found.' })
export class SourceFeedSweep {
  @ContractField(() => Int, { description: 'Feeds past their deadline, or stale, that were looked at.', example: 2 })
  judged!: number;

  @ContractField(() => [String], { description: 'Feeds that are stale now.', example: [EXAMPLE_FEED] })
  became_stale!: string[];

  @ContractField(() => [String], { description: 'Feeds that were heard of again.', example: [] })
  recovered!: string[];
}
