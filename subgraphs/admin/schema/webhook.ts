import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { SHOWN_STATUSES, type ShownStatus, SUSPENSION_REASONS, type SuspensionReason } from '../domain/webhook.js';
import { EVENT_TYPES, IN_FLIGHT, PER_SECOND, SOURCE_SYSTEMS, URL_LIMITS } from './webhook-inputs.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_ID = 'whk_01JQ0000000000000000000001';

@ObjectType({ description: 'How a webhook has fared; tests do not count.' })
export class WebhookHealthShape {
  @ContractField(() => Int, { description: 'Failed attempts since the last success.', example: 0 })
  consecutive_failures!: number;

  @ContractField(() => String, {
    description: 'Since when it has failed; null while it has not.',
    nullable: true,
    format: 'date-time',
  })
  first_failure_at!: string | null;

  @ContractField(() => String, { description: 'The last failed attempt.', nullable: true, format: 'date-time' })
  last_failure_at!: string | null;

  @ContractField(() => String, {
    description: 'The last success, to the second.',
    nullable: true,
    format: 'date-time',
  })
  last_success_at!: string | null;
}

@ObjectType({ description: 'A subscription to platform events.' })
export class Webhook {
  @ContractField(() => String, { description: 'Identifier of the webhook.', example: EXAMPLE_ID })
  webhook_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Where deliveries go.', example: URL_LIMITS.example })
  url!: string;

  @ContractField(() => [String], { description: 'Kinds subscribed to.', example: EVENT_TYPES.example })
  event_types!: readonly string[];

  @ContractField(() => [String], {
    description: 'The source systems whose events are told; null for all but the reserved partitions.',
    nullable: true,
    example: SOURCE_SYSTEMS.example,
  })
  source_systems!: readonly string[] | null;

  @ContractField(() => String, { description: 'What it is for.', nullable: true })
  description!: string | null;

  @ContractField(() => String, {
    description: 'Only an ACTIVE one is sent anything. The service suspends one that is gone, or fails for five days.',
    example: 'ACTIVE',
    enum: [...SHOWN_STATUSES],
  })
  status!: ShownStatus;

  @ContractField(() => String, {
    description: 'Why the service suspended it: the receiver answered 410, or failed for five days.',
    nullable: true,
    enum: [...SUSPENSION_REASONS],
  })
  suspension_reason!: SuspensionReason | null;

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['pause', 'delete'] })
  allowed_actions!: string[];

  @ContractField(() => WebhookHealthShape, { description: 'How it has fared.' })
  health!: WebhookHealthShape;

  @ContractField(() => Int, { description: 'Deliveries begun in a second at most.', nullable: true, ...PER_SECOND })
  throttle_per_second!: number | null;

  @ContractField(() => Int, { description: 'Deliveries under way at one time at most.', ...IN_FLIGHT })
  max_in_flight!: number;

  @ContractField(() => String, {
    description: 'Until when the former secret signs beside the current one; null when there is none.',
    nullable: true,
    format: 'date-time',
  })
  previous_secret_expires_at!: string | null;

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was made.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that made it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', example: EXAMPLE_TIME, format: 'date-time' })
  updated_at!: string;

  @ContractField(() => String, {
    description: 'Since when it is told what happens.',
    example: EXAMPLE_TIME,
    format: 'date-time',
  })
  last_enabled_at!: string;
}

@ObjectType({ description: 'A webhook with its secret, which is shown this once.' })
export class WebhookWithSecret extends Webhook {
  @ContractField(() => String, {
    description: 'The secret: signs every delivery, and cannot be fetched again.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDWG7JiNbiMEc=',
  })
  secret!: string;
}

export const WebhookPage = pageType('WebhookPage', () => Webhook);

@ArgsType()
export class WebhookFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only of this status.', optional: true, enum: [...SHOWN_STATUSES] })
  status?: ShownStatus;

  @ContractField(() => String, { description: 'Only with this address.', optional: true, maxLength: 2048 })
  url?: string;

  @ContractField(() => String, { description: 'Made at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Made before this time.', optional: true, format: 'date-time' })
  to?: string;
}
