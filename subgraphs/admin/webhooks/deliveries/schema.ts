import { ArgsType, Float, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { enumType } from '../../../../shared/graph/enum-type.js';
import { groupedBy, WindowedGroupArgs } from '../../../../shared/graph/group-args.js';
import { pageType, WindowArgs } from '../../../../shared/graph/page.js';
import { JsonScalar } from '../../../../shared/graph/scalars.js';
import type { JsonValue } from '../../../../shared/json/strict-json.js';
import { EVENT_KIND_NAMES, type EventKindName } from '../../../../shared/outbox/event-kinds.js';
import { DELIVERY_STATUSES, DELIVERY_TRIGGERS, type DeliveryStatus, type DeliveryTrigger } from './domain/delivery.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';

@ObjectType({ description: 'One request to the receiver.' })
class WebhookAttempt {
  @ContractField(() => String, { description: 'Start of the request.', example: EXAMPLE_TIME, format: 'date-time' })
  at!: string;

  @ContractField(() => Int, { description: 'HTTP status of the answer, if any.', optional: true })
  status?: number;

  @ContractField(() => Int, { description: 'Duration in milliseconds.', example: 41 })
  duration_ms!: number;

  @ContractField(() => String, { description: 'Reason of the failure.', optional: true, example: 'TIMEOUT' })
  error?: string;
}

@ObjectType({ description: 'One message for one webhook.' })
export class WebhookDeliveryShape {
  @ContractField(() => String, { description: 'Identifier.', example: 'dlv_01JQ0000000000000000000001' })
  delivery_id!: string;

  @ContractField(() => String, { description: 'Webhook.', example: 'whk_01JQ0000000000000000000001' })
  webhook_id!: string;

  @ContractField(() => String, {
    description: 'The message: `id` of its body, and the header webhook-id.',
    example: 'msg_01JQ0000000000000000000001',
  })
  message_id!: string;

  @ContractField(() => String, { description: 'The event kind.', example: 'bundle.sealed' })
  type!: string;

  @ContractField(() => String, {
    description: 'Status; the sixth failed attempt is final.',
    example: 'DELIVERED',
    enum: [...DELIVERY_STATUSES],
  })
  status!: DeliveryStatus;

  @ContractField(() => String, {
    description: 'Cause: an event (SCHEDULED), or a request.',
    example: 'SCHEDULED',
    enum: [...DELIVERY_TRIGGERS],
  })
  trigger!: DeliveryTrigger;

  @ContractField(() => [WebhookAttempt], { description: 'Attempts, oldest first.' })
  attempts!: WebhookAttempt[];

  @ContractField(() => String, {
    description: 'Time of the next attempt, while it waits.',
    optional: true,
    format: 'date-time',
  })
  next_attempt_at?: string;

  @ContractField(() => String, { description: 'Time of creation.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;
}

@ObjectType({ description: 'A delivery with its message.' })
export class WebhookDeliveryDetail extends WebhookDeliveryShape {
  @ContractField(() => JsonScalar, {
    description: 'Body of the message; null after 30 days.',
    nullable: true,
    shape: {},
  })
  body!: JsonValue;
}

export const WebhookDeliveryPage = pageType('WebhookDeliveryPage', () => WebhookDeliveryShape);

@ArgsType()
export class WebhookDeliveryFilter extends WindowArgs {
  @ContractField(() => String, { description: 'The webhook.', minLength: 1, maxLength: 64 })
  webhook_id!: string;

  @ContractField(() => String, { description: 'Only of this status.', optional: true, enum: [...DELIVERY_STATUSES] })
  status?: DeliveryStatus;

  @ContractField(() => String, { description: 'Only of this kind.', optional: true, enum: [...EVENT_KIND_NAMES] })
  type?: EventKindName;

  @ContractField(() => String, {
    description: 'Only with this cause.',
    optional: true,
    enum: [...DELIVERY_TRIGGERS],
  })
  trigger?: DeliveryTrigger;
}

@ObjectType({ description: 'The result of a recovery.' })
export class WebhookRecovery {
  @ContractField(() => String, { description: 'The webhook.', example: 'whk_01JQ0000000000000000000001' })
  webhook_id!: string;

  @ContractField(() => Boolean, { description: 'True if it only counted.', example: false })
  dry_run!: boolean;

  @ContractField(() => Int, { description: 'Number of messages that are, or would be, sent again.', example: 12 })
  count!: number;

  @ContractField(() => String, {
    description: 'Start of the next recovery if one was not enough; else null.',
    nullable: true,
    format: 'date-time',
  })
  continue_from!: string | null;
}

@ObjectType({ description: 'An event kind of the catalogue.' })
export class WebhookEventType {
  @ContractField(() => String, { description: 'Name.', example: 'bundle.sealed' })
  type!: string;

  @ContractField(() => String, { description: 'Area.', example: 'bundles' })
  area!: string;

  @ContractField(() => String, { description: 'Description of the event.' })
  description!: string;

  @ContractField(() => JsonScalar, { description: 'JSON Schema of the body.', shape: { type: 'object' } })
  schema!: JsonValue;

  @ContractField(() => JsonScalar, { description: 'Example of a body.', shape: { type: 'object' } })
  example!: JsonValue;
}

export const WebhookEventTypePage = pageType('WebhookEventTypePage', () => WebhookEventType);

const DeliveryDimension = enumType('DeliveryDimension', 'A value that groups deliveries, for example STATUS.', {
  TYPE: 'The event kind.',
  STATUS: 'Status.',
  TRIGGER: 'Cause of the delivery.',
  DAY: 'Day in UTC on which the delivery was made.',
});

@ArgsType()
export class DeliveryAggregateArgs extends WindowedGroupArgs {
  @ContractField(() => String, {
    description: 'The webhook.',
    example: 'whk_01JQ0000000000000000000001',
    minLength: 1,
    maxLength: 64,
  })
  webhook_id!: string;

  @ContractField(() => [DeliveryDimension], {
    description: 'Values that group the deliveries; an empty list makes one group.',
    example: ['TYPE', 'DAY'],
    maxItems: 4,
    uniqueItems: true,
  })
  by!: (keyof typeof DeliveryDimension)[];
}

@ObjectType({ description: 'Deliveries with the same values.' })
class WebhookDeliveryGroup {
  @ContractField(() => String, groupedBy('The event kind', 'bundle.sealed'))
  type!: string | null;

  @ContractField(() => String, groupedBy('Status', 'DELIVERED'))
  status!: string | null;

  @ContractField(() => String, groupedBy('Cause', 'SCHEDULED'))
  trigger!: string | null;

  @ContractField(() => String, groupedBy('Day in UTC', '2026-03-02'))
  day!: string | null;

  @ContractField(() => Int, { description: 'Number of deliveries.', example: 40 })
  count!: number;

  @ContractField(() => Int, { description: 'Number of delivered ones.', example: 38 })
  delivered!: number;

  @ContractField(() => Int, { description: 'Number of failed ones.', example: 2 })
  failed!: number;

  @ContractField(() => Float, { description: 'Mean number of attempts.', example: 1.2 })
  attempts_mean!: number;

  @ContractField(() => Float, {
    description: 'Share of delivered ones among delivered and failed ones; null if there are none.',
    nullable: true,
    example: 0.95,
  })
  delivered_rate!: number | null;
}

@ObjectType({ description: 'Groups of deliveries with their figures.' })
export class WebhookDeliveryAggregate {
  @ContractField(() => Int, { description: 'Number of deliveries.', example: 40 })
  count!: number;

  @ContractField(() => [WebhookDeliveryGroup], { description: 'The groups, the largest first.' })
  items!: readonly WebhookDeliveryGroup[];

  @ContractField(() => Boolean, { description: 'Whether there are more groups than shown.', example: false })
  truncated!: boolean;
}
