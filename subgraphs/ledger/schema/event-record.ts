import { ArgsType, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs } from '../../../shared/graph/page.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS, withheldPageType } from '../../../shared/graph/withheld-page.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';

const TIME = { format: 'date-time', example: '2026-03-02T14:11:09.123Z' } as const;

@ObjectType({ description: 'An event as recorded: the members of its record, flat, and its place in the ledger.' })
export class EventRecord {
  @ContractField(() => String, { description: 'The event.', example: 'evt_01JQ0000000000000000000001' })
  event_id!: string;

  @ContractField(() => String, { description: 'Tenant.', example: 'acme-health' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'When the service received it.', ...TIME })
  received_at!: string;

  @ContractField(() => String, {
    description: 'Grouping of the event; left out where a redaction hides it.',
    optional: true,
    example: 'utilization_management',
  })
  event_family?: string;

  @ContractField(() => String, { description: 'Kind of event within the family.', example: 'prior_auth.denied' })
  event_type!: string;

  @ContractField(() => String, { description: 'Member concerned.', optional: true, example: 'M-1001' })
  member_id?: string;

  @ContractField(() => String, { description: 'Originating system.', example: 'um-core' })
  source_system!: string;

  @ContractField(() => String, {
    description: 'Record in the source system; left out where a redaction hides it.',
    optional: true,
    example: 'PA-2026-0001',
  })
  source_record_id?: string;

  @ContractField(() => String, { description: 'When it took effect, as sent.', ...TIME })
  event_effective_timestamp!: string;

  @ContractField(() => String, { description: 'Result of the event.', optional: true, example: 'DENIED' })
  outcome?: string;

  @ContractField(() => JsonScalar, { description: 'Free content.', optional: true })
  payload?: JsonObject;

  @ContractField(() => SafeInteger, { description: 'Place in its chain, from 1.', example: 1 })
  sequence!: number;

  @ContractField(() => String, { description: 'When it was recorded.', ...TIME })
  recorded_at!: string;

  @ContractField(() => String, { description: 'Hash of the entry before.' })
  prev_hash!: string;

  @ContractField(() => String, { description: 'Hash of this entry.' })
  entry_hash!: string;

  @ContractField(() => String, {
    description: 'SHA-256 of the write-once copy; not of a redacted record.',
    optional: true,
  })
  worm_sha256?: string;

  @ContractField(() => SafeInteger, { description: "Place in the tenant's tree; null until assigned.", nullable: true })
  tree_index!: number | null;

  @ContractField(() => String, {
    description: 'Whether the record is shown whole: REDACTED to readers without documents:unredacted.',
    enum: ['INCLUDED', 'REDACTED', 'DISPOSED'],
    example: 'INCLUDED',
  })
  state!: string;

  @ContractField(() => String, {
    description: 'The latest redaction of the event, where there is one.',
    optional: true,
    example: 'rdx_01JQ0000000000000000000001',
  })
  redaction_id?: string;

  @ContractField(() => JsonScalar, {
    description:
      'Of a redacted event that is read by itself: its redacted line (disclosed fields with their salts, digests of what is hidden) and the header that the digests lead to, whose hash is entry_hash.',
    optional: true,
  })
  rendition?: JsonObject;
}

export const EventPage = withheldPageType('EventPage', () => EventRecord);

/** An equality filter; case is ignored for family, type and outcome (api.md section 1). */
const filter = (description: string, example: string) => ({
  description,
  example,
  optional: true,
  minLength: 1,
  maxLength: 512,
});

@ArgsType()
export class EventArgs {
  @ContractField(() => String, { description: 'The event.', example: 'evt_01JQ0000000000000000000001' })
  event_id!: string;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;
}

@ArgsType()
export class EventFilter extends PageArgs {
  @ContractField(() => String, filter('Events of this member.', 'M-1001'))
  member_id?: string;

  @ContractField(
    () => String,
    filter('Events of this originating system; the only way to list a system partition.', 'um-core'),
  )
  source_system?: string;

  @ContractField(() => String, filter('Events of this record of the source system.', 'PA-2026-0001'))
  source_record_id?: string;

  @ContractField(() => String, filter('Events of this family, in any case.', 'claim'))
  event_family?: string;

  @ContractField(() => String, filter('Events of this type, in any case.', 'claim_submitted'))
  event_type?: string;

  @ContractField(() => String, filter('Events with this outcome, in any case.', 'denied'))
  outcome?: string;

  @ContractField(() => String, { description: 'Effective at or after.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Effective before.', optional: true, ...TIME })
  to?: string;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;
}
