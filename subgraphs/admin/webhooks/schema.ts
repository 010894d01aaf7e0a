import { ArgsType, Directive, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, patchOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { pageType, WindowArgs } from '../../../shared/graph/page.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { TENANT_ID_PATTERN } from '../../../shared/ids/tenant.js';
import { EVENT_KIND_NAMES, type EventKindName } from '../../../shared/outbox/event-kinds.js';
import { SHOWN_STATUSES, type ShownStatus, SUSPENSION_REASONS, type SuspensionReason } from './domain.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_ID = 'whk_01JQ0000000000000000000001';
const DEFAULT_IN_FLIGHT = 16;
const URL_LIMITS = { example: 'https://receiver.example.com/evidence', format: 'uri', maxLength: 2048 } as const;
const EVENT_TYPES = {
  example: ['event.ingested', 'bundle.*'],
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  items: { minLength: 1, maxLength: 64 },
};
const SOURCE_SYSTEMS = {
  example: ['um-core'],
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  items: { minLength: 1, maxLength: 128 },
};
const PER_SECOND = { example: 50, minimum: 1, maximum: 10_000 };
const IN_FLIGHT = { example: DEFAULT_IN_FLIGHT, minimum: 1, maximum: 256 };
const ALIAS = {
  description: 'Alias of `event_types`; if both are present, they must be equal.',
  optional: true,
  ...EVENT_TYPES,
};

/** The members that callers give to a webhook; `event_types` is apart, because inputs accept an alias. */
export abstract class WebhookMembers {
  @Member(() => String, {
    description: 'Target of deliveries: HTTPS, without credentials, and not in a private network.',
    ...URL_LIMITS,
    shown: { format: undefined },
  })
  url!: string;

  @Member(() => [String], {
    description: 'Only events of these source systems. Default: all but the reserved partitions, which must be named.',
    nullable: true,
    ...SOURCE_SYSTEMS,
  })
  source_systems!: readonly string[] | null;

  @Member(() => String, { description: 'Purpose.', nullable: true, maxLength: 500 })
  description!: string | null;

  @Member(() => Int, {
    description: 'Maximum deliveries started a second; null for no limit.',
    nullable: true,
    ...PER_SECOND,
    shown: PER_SECOND,
  })
  throttle_per_second!: number | null;

  @Member(() => Int, { description: 'Maximum concurrent deliveries.', ...IN_FLIGHT, shown: IN_FLIGHT })
  max_in_flight!: number;
}

const TYPES = 'Event kinds of the catalogue; `*` for all, `bundle.*` for a family.';

@RecordInput({ description: 'A new webhook.' })
export class WebhookInput extends inputOf(WebhookMembers, { max_in_flight: DEFAULT_IN_FLIGHT }) {
  @ContractField(() => String, {
    description: 'Must equal the tenant of the request.',
    example: 'acme',
    optional: true,
    pattern: TENANT_ID_PATTERN,
  })
  tenant_id?: string;

  @ContractField(() => [String], { description: TYPES, optional: true, ...EVENT_TYPES })
  event_types?: readonly string[];

  @ContractField(() => [String], ALIAS)
  events?: readonly string[];
}

@RecordInput({ description: 'Changes of a webhook; absent members stay, null removes a value.' })
export class WebhookPatch extends patchOf(WebhookMembers) {
  @ContractField(() => [String], { description: TYPES, optional: true, ...EVENT_TYPES })
  event_types?: readonly string[];

  @ContractField(() => [String], ALIAS)
  events?: readonly string[];

  @ContractField(() => String, {
    description: 'PAUSED stops deliveries; ACTIVE resumes them and clears the failures.',
    optional: true,
    enum: ['ACTIVE', 'PAUSED'],
  })
  status?: 'ACTIVE' | 'PAUSED';

  @ContractField(() => Int, {
    description: 'Revision that the caller has read; another current revision is a CONFLICT.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@InputType({ description: 'A test delivery.' })
export class WebhookTestInput {
  @ContractField(() => String, {
    description: 'Event kind of the example. Default: the first kind that the webhook accepts.',
    example: 'bundle.sealed',
    optional: true,
    enum: [...EVENT_KIND_NAMES],
  })
  event_type?: EventKindName;
}

@InputType({ description: 'A time span; its messages are sent again.' })
export class WebhookRecoveryInput {
  @ContractField(() => String, { description: 'Start of the span, included.', format: 'date-time' })
  since!: string;

  @ContractField(() => String, { description: 'End of the span, excluded.', format: 'date-time' })
  until!: string;

  @ContractField(() => [String], { description: 'Only these kinds of the webhook.', optional: true, ...EVENT_TYPES })
  event_types?: string[];

  @ContractField(() => Boolean, { description: 'True only counts the messages.', optional: true })
  dry_run?: boolean;
}

@ObjectType({ description: 'Health of a webhook; tests do not count.' })
class WebhookHealthShape {
  @ContractField(() => Int, { description: 'Failed attempts since the last success.', example: 0 })
  consecutive_failures!: number;

  @ContractField(() => String, {
    description: 'Start of the current failures, or null.',
    nullable: true,
    format: 'date-time',
  })
  first_failure_at!: string | null;

  @ContractField(() => String, { description: 'Time of the last failed attempt.', nullable: true, format: 'date-time' })
  last_failure_at!: string | null;

  @ContractField(() => String, {
    description: 'Time of the last success, to the second.',
    nullable: true,
    format: 'date-time',
  })
  last_success_at!: string | null;
}

@Directive('@key(fields: "webhook_id")')
@RecordType({ description: 'A subscription to platform events.' })
export class Webhook extends outputOf(WebhookMembers, RecordMembers) {
  @ContractField(() => String, { description: 'Identifier of the webhook.', example: EXAMPLE_ID })
  webhook_id!: string;

  @ContractField(() => [String], { description: 'Event kinds of the webhook.', example: EVENT_TYPES.example })
  event_types!: readonly string[];

  @ContractField(() => String, {
    description:
      'Only an ACTIVE webhook receives deliveries. The service suspends one that answers 410 or fails for five days.',
    example: 'ACTIVE',
    enum: [...SHOWN_STATUSES],
  })
  status!: ShownStatus;

  @ContractField(() => String, {
    description: 'Reason of the suspension: the receiver answered 410 (GONE) or failed for five days (FAILING).',
    nullable: true,
    enum: [...SUSPENSION_REASONS],
  })
  suspension_reason!: SuspensionReason | null;

  @ContractField(() => WebhookHealthShape, { description: 'Health.' })
  health!: WebhookHealthShape;

  @ContractField(() => String, {
    description: 'Time until which a former secret also signs, or null.',
    nullable: true,
    format: 'date-time',
  })
  previous_secret_expires_at!: string | null;

  @ContractField(() => String, {
    description: 'Time from which it receives events.',
    example: EXAMPLE_TIME,
    format: 'date-time',
  })
  last_enabled_at!: string;
}

@ObjectType({ description: 'A webhook with its secret, which is returned once.' })
export class WebhookWithSecret extends Webhook {
  @ContractField(() => String, {
    description: 'Secret that signs every delivery; it cannot be read again.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDWG7JiNbiMEc=',
  })
  secret!: string;
}

export const WebhookPage = pageType('WebhookPage', () => Webhook);

@ArgsType()
export class WebhookFilter extends WindowArgs {
  @ContractField(() => String, { description: 'Only of this status.', optional: true, enum: [...SHOWN_STATUSES] })
  status?: ShownStatus;

  @ContractField(() => String, { description: 'Only with this URL.', optional: true, maxLength: 2048 })
  url?: string;
}
