import { InputType, Int } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { TENANT_ID_PATTERN } from '../../../shared/ids/tenant.js';
import { EVENT_KIND_NAMES } from '../../../shared/outbox/event-kinds.js';

export const URL_LIMITS = { example: 'https://receiver.example.com/evidence', format: 'uri', maxLength: 2048 } as const;
export const EVENT_TYPES = {
  example: ['event.ingested', 'bundle.*'],
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  items: { minLength: 1, maxLength: 64 },
};
export const SOURCE_SYSTEMS = {
  example: ['um-core'],
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  items: { minLength: 1, maxLength: 128 },
};
export const PER_SECOND = { example: 50, minimum: 1, maximum: 10_000 };
export const IN_FLIGHT = { example: 16, minimum: 1, maximum: 256 };
const DESCRIPTION = { maxLength: 500 };

const URL_TEXT = 'Where deliveries go: HTTPS, without credentials, and no address of an inner network.';
const TYPES_TEXT = 'Kinds of the catalogue, `*` for every one, `bundle.*` for those of a family.';
const ALIAS_TEXT = 'Taken for `event_types`; where both are given they must be equal.';
const SYSTEMS_TEXT =
  'Only events of these source systems. Unless told: all but the reserved partitions, which must be named.';
const PACE_TEXT = 'Deliveries begun in a second at most; null for as many as come.';
const FLIGHT_TEXT = 'Deliveries under way at one time at most.';

@InputType({ description: 'A subscription to be made.' })
export class WebhookInput {
  @ContractField(() => String, {
    description: 'The tenant of the request, repeated.',
    example: 'acme',
    optional: true,
    pattern: TENANT_ID_PATTERN,
  })
  tenant_id?: string;

  @ContractField(() => String, { description: URL_TEXT, ...URL_LIMITS })
  url!: string;

  @ContractField(() => [String], { description: TYPES_TEXT, optional: true, ...EVENT_TYPES })
  event_types?: string[];

  @ContractField(() => [String], { description: ALIAS_TEXT, optional: true, ...EVENT_TYPES })
  events?: string[];

  @ContractField(() => [String], { description: SYSTEMS_TEXT, optional: true, ...SOURCE_SYSTEMS })
  source_systems?: string[];

  @ContractField(() => String, { description: 'What it is for.', optional: true, ...DESCRIPTION })
  description?: string;

  @ContractField(() => Int, { description: PACE_TEXT, optional: true, ...PER_SECOND })
  throttle_per_second?: number;

  @ContractField(() => Int, { description: FLIGHT_TEXT, optional: true, ...IN_FLIGHT })
  max_in_flight?: number;
}

@InputType({ description: 'Changes of a webhook: absent stays, null takes away.' })
export class WebhookPatch {
  @ContractField(() => String, { description: URL_TEXT, optional: true, ...URL_LIMITS })
  url?: string;

  @ContractField(() => [String], { description: TYPES_TEXT, optional: true, ...EVENT_TYPES })
  event_types?: string[];

  @ContractField(() => [String], { description: ALIAS_TEXT, optional: true, ...EVENT_TYPES })
  events?: string[];

  @ContractField(() => [String], { description: SYSTEMS_TEXT, optional: true, nullable: true, ...SOURCE_SYSTEMS })
  source_systems?: string[] | null;

  @ContractField(() => String, { description: 'What it is for.', optional: true, nullable: true, ...DESCRIPTION })
  description?: string | null;

  @ContractField(() => String, {
    description: 'PAUSED stops deliveries; ACTIVE lets what waited go on, and forgets the failures there were.',
    optional: true,
    enum: ['ACTIVE', 'PAUSED'],
  })
  status?: 'ACTIVE' | 'PAUSED';

  @ContractField(() => Int, { description: PACE_TEXT, optional: true, nullable: true, ...PER_SECOND })
  throttle_per_second?: number | null;

  @ContractField(() => Int, { description: FLIGHT_TEXT, optional: true, ...IN_FLIGHT })
  max_in_flight?: number;

  @ContractField(() => Int, {
    description: 'The revision that this change is made on; CONFLICT when another one stands.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@InputType({ description: 'A test to be sent.' })
export class WebhookTestInput {
  @ContractField(() => String, {
    description: 'The kind whose example is sent; the first that the webhook takes, unless told.',
    example: 'bundle.sealed',
    optional: true,
    enum: [...EVENT_KIND_NAMES],
  })
  event_type?: string;
}

@InputType({ description: 'A span whose messages are to be sent again.' })
export class WebhookRecoveryInput {
  @ContractField(() => String, { description: 'What happened then or later.', format: 'date-time' })
  since!: string;

  @ContractField(() => String, { description: 'What happened before then.', format: 'date-time' })
  until!: string;

  @ContractField(() => [String], {
    description: 'Only these of the kinds subscribed to.',
    optional: true,
    ...EVENT_TYPES,
  })
  event_types?: string[];

  @ContractField(() => Boolean, { description: 'Only count.', optional: true })
  dry_run?: boolean;
}
