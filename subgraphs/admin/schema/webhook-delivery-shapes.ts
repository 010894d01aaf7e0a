import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { EVENT_KIND_NAMES, type EventKindName } from '../../../shared/outbox/event-kinds.js';
import {
  DELIVERY_STATUSES,
  DELIVERY_TRIGGERS,
  type DeliveryStatus,
  type DeliveryTrigger,
} from '../domain/webhook-delivery.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';

@ObjectType({ description: 'One request to the receiver.' })
export class WebhookAttempt {
  @ContractField(() => String, { description: 'When it began.', example: EXAMPLE_TIME, format: 'date-time' })
  at!: string;

  @ContractField(() => Int, { description: 'HTTP status of the answer, when there was one.', optional: true })
  status?: number;

  @ContractField(() => Int, { description: 'How long it took.', example: 41 })
  duration_ms!: number;

  @ContractField(() => String, { description: 'Why it failed.', optional: true, example: 'TIMEOUT' })
  error?: string;
}

@ObjectType({ description: 'One message on its way to one webhook.' })
export class WebhookDeliveryShape {
  @ContractField(() => String, { description: 'Identifier.', example: 'dlv_01JQ0000000000000000000001' })
  delivery_id!: string;

  @ContractField(() => String, { description: 'Its webhook.', example: 'whk_01JQ0000000000000000000001' })
  webhook_id!: string;

  @ContractField(() => String, {
    description: 'The message: `id` of its body, and the header webhook-id.',
    example: 'msg_01JQ0000000000000000000001',
  })
  message_id!: string;

  @ContractField(() => String, { description: 'The event kind.', example: 'bundle.sealed' })
  type!: string;

  @ContractField(() => String, {
    description: 'Where it stands. The sixth failed attempt ends it.',
    example: 'DELIVERED',
    enum: [...DELIVERY_STATUSES],
  })
  status!: DeliveryStatus;

  @ContractField(() => String, {
    description: 'Why there is one: something happened, or somebody asked for it.',
    example: 'SCHEDULED',
    enum: [...DELIVERY_TRIGGERS],
  })
  trigger!: DeliveryTrigger;

  @ContractField(() => [WebhookAttempt], { description: 'Its attempts, oldest first.' })
  attempts!: WebhookAttempt[];

  @ContractField(() => String, {
    description: 'When it is tried next, while it waits.',
    optional: true,
    format: 'date-time',
  })
  next_attempt_at?: string;

  @ContractField(() => String, { description: 'When it was made.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;
}

@ObjectType({ description: 'One delivery with what it carries.' })
export class WebhookDeliveryDetail extends WebhookDeliveryShape {
  @ContractField(() => JsonScalar, {
    description: 'The body that was sent, or is to be; null when it is no longer kept (30 days).',
    nullable: true,
    shape: {},
  })
  body!: JsonValue;
}

export const WebhookDeliveryPage = pageType('WebhookDeliveryPage', () => WebhookDeliveryShape);

@ArgsType()
export class WebhookDeliveryFilter extends PageArgs {
  @ContractField(() => String, { description: 'The webhook.', minLength: 1, maxLength: 64 })
  webhook_id!: string;

  @ContractField(() => String, { description: 'Only of this status.', optional: true, enum: [...DELIVERY_STATUSES] })
  status?: DeliveryStatus;

  @ContractField(() => String, { description: 'Only of this kind.', optional: true, enum: [...EVENT_KIND_NAMES] })
  type?: EventKindName;

  @ContractField(() => String, {
    description: 'Only those made for this reason.',
    optional: true,
    enum: [...DELIVERY_TRIGGERS],
  })
  trigger?: DeliveryTrigger;

  @ContractField(() => String, { description: 'Made at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Made before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@ObjectType({ description: 'What a recovery sends again.' })
export class WebhookRecovery {
  @ContractField(() => String, { description: 'The webhook.', example: 'whk_01JQ0000000000000000000001' })
  webhook_id!: string;

  @ContractField(() => Boolean, { description: 'Whether it only counted.', example: false })
  dry_run!: boolean;

  @ContractField(() => Int, { description: 'Messages that are, or would be, sent again.', example: 12 })
  count!: number;

  @ContractField(() => String, {
    description: 'Where the next recovery is to begin, when there is more than one sends; else null.',
    nullable: true,
    format: 'date-time',
  })
  continue_from!: string | null;
}

@ObjectType({ description: 'A kind of the catalogue.' })
export class WebhookEventType {
  @ContractField(() => String, { description: 'The kind.', example: 'bundle.sealed' })
  type!: string;

  @ContractField(() => String, { description: 'Its area.', example: 'bundles' })
  area!: string;

  @ContractField(() => String, { description: 'What has happened.' })
  description!: string;

  @ContractField(() => JsonScalar, { description: 'JSON Schema of the body.', shape: { type: 'object' } })
  schema!: JsonValue;

  @ContractField(() => JsonScalar, { description: 'A body as an example.', shape: { type: 'object' } })
  example!: JsonValue;
}

export const WebhookEventTypePage = pageType('WebhookEventTypePage', () => WebhookEventType);
