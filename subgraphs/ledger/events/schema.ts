import { ArgsType, Directive, Extensions, ObjectType } from 'type-graphql';
import { CONTRACT, type ContractExtension, ContractField } from '../../../shared/graph/contract-field.js';
import { CODE_FILTER, OUTCOME_FILTER, PROVIDER_FILTER } from '../../../shared/graph/event-filters.js';
import { PageArgs } from '../../../shared/graph/page.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import { timelineMemberType } from '../../../shared/graph/timeline.js';
import { PURPOSE_OPTIONS, withheldPageType } from '../../../shared/graph/withheld-page.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { EventLink } from '../links/schema.js';

const TIME = { format: 'date-time', example: '2026-03-02T14:11:09.123Z' } as const;

/** The member of an event; the members-graph subgraph has the record, and the ledger adds the claims. */
@ObjectType('Member', { description: 'A member of the directory.' })
@Directive('@key(fields: "member_id")')
@Extensions({ [CONTRACT]: { parts: true } satisfies ContractExtension })
export class EventMember {
  @ContractField(() => String, { description: 'Identifier of the member, chosen by the caller.', example: 'M-1001' })
  member_id!: string;
}

/** The redaction of an event; the vault has the record. */
@ObjectType('Redaction', {
  description: 'The parts of an event or a document that are hidden from readers without documents:unredacted.',
})
@Directive('@key(fields: "redaction_id", resolvable: false)')
@Extensions({ [CONTRACT]: { parts: true } satisfies ContractExtension })
export class EventRedaction {
  @ContractField(() => String, {
    description: 'Identifier of the redaction.',
    example: 'rdx_01JQ0000000000000000000001',
  })
  redaction_id!: string;
}

/** The vault adds the documents of an event. */
@Directive('@key(fields: "event_id")')
@ObjectType({ description: 'An event as recorded: the members of its record, flat, and its place in the ledger.' })
export class EventRecord {
  @ContractField(() => String, { description: 'The event.', example: 'evt_01JQ0000000000000000000001' })
  event_id!: string;

  @ContractField(() => String, { description: 'Tenant.', example: 'acme-health' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'When the service received it.', ...TIME })
  received_at!: string;

  @ContractField(() => String, {
    description: 'Grouping of the event; absent where a redaction hides it.',
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
    description: 'Record in the source system; absent where a redaction hides it.',
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

  @ContractField(() => String, { description: 'Hash of the previous entry.' })
  prev_hash!: string;

  @ContractField(() => String, { description: 'Hash of this entry.' })
  entry_hash!: string;

  @ContractField(() => String, {
    description: 'SHA-256 of the write-once copy; absent from a redacted record.',
    optional: true,
  })
  worm_sha256?: string;

  @ContractField(() => SafeInteger, { description: "Place in the tenant's tree; null until assigned.", nullable: true })
  tree_index!: number | null;

  @ContractField(() => String, {
    description: 'REDACTED if a redaction hides fields from readers without documents:unredacted; otherwise INCLUDED.',
    enum: ['INCLUDED', 'REDACTED', 'DISPOSED'],
    example: 'INCLUDED',
  })
  state!: string;

  @ContractField(() => String, {
    description: 'The latest redaction of the event, if there is one.',
    optional: true,
    example: 'rdx_01JQ0000000000000000000001',
  })
  redaction_id?: string;

  @ContractField(() => JsonScalar, {
    description:
      'Redacted line (shown fields with salts, digests of hidden fields) and header of the event; the hash of the header is entry_hash. Present in a read of one redacted event.',
    optional: true,
  })
  rendition?: JsonObject;

  @ContractField(() => EventMember, {
    description: 'Record of the member concerned; null if the event names none, or the directory has none.',
    nullable: true,
    graphOnly: true,
  })
  member?: EventMember | null;

  @ContractField(() => EventRedaction, {
    description: 'Its latest redaction; null if there is none.',
    nullable: true,
    graphOnly: true,
  })
  redaction?: EventRedaction | null;

  @ContractField(() => [EventLink], {
    description: 'Events that share a number with this one, the newest first; 50 at most.',
    graphOnly: true,
  })
  links?: readonly EventLink[];
}

export const EventPage = withheldPageType('EventPage', () => EventRecord);

/** An equality filter; ignores case for family, type and outcome (api.md section 1). */
const filter = (description: string, example: string) => ({
  description,
  example,
  optional: true,
  minLength: 1,
  maxLength: 512,
});

/** The parser of keys rejects an empty value, with the name of the parameter. */
const keyFilter = (description: string, example: string) => ({
  description,
  example,
  optional: true,
  maxLength: 256,
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

  @ContractField(() => String, filter('Events of this source system; required to list a system partition.', 'um-core'))
  source_system?: string;

  @ContractField(() => String, filter('Events of this record of the source system.', 'PA-2026-0001'))
  source_record_id?: string;

  @ContractField(() => String, filter('Events of this family, in any case.', 'claim'))
  event_family?: string;

  @ContractField(() => String, filter('Events of this type, in any case.', 'claim_submitted'))
  event_type?: string;

  @ContractField(() => String, OUTCOME_FILTER)
  outcome?: string;

  @ContractField(() => String, CODE_FILTER)
  code?: string;

  @ContractField(() => String, PROVIDER_FILTER)
  provider?: string;

  @ContractField(() => String, keyFilter('Events of this program (`payload.program`), in any case.', 'Medicare'))
  program?: string;

  @ContractField(() => String, keyFilter('Events of this jurisdiction (`payload.jurisdiction`), in any case.', 'US-CA'))
  jurisdiction?: string;

  @ContractField(() => String, keyFilter('Events that name this claim (`payload.claim_id`).', 'CLM-1001'))
  claim?: string;

  @ContractField(() => String, { description: 'Effective at or after.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Effective before.', optional: true, ...TIME })
  to?: string;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;
}

@ObjectType({
  description: 'What opens the commitments of an event (docs/evidence.md section 2), for a reader who recomputes them.',
})
export class EventOpening {
  @ContractField(() => String, { description: 'The event.', example: 'evt_01JQ0000000000000000000001' })
  event_id!: string;

  @ContractField(() => String, { description: 'Whether fields are hidden.', enum: ['INCLUDED', 'REDACTED'] })
  state!: 'INCLUDED' | 'REDACTED';

  @ContractField(() => JsonScalar, { description: 'The header that entry_hash covers, as JCS.' })
  header!: unknown;

  @ContractField(() => String, {
    description: 'The record R: its UTF-8 bytes are those that were hashed. Null unless the reader sees all of it.',
    nullable: true,
  })
  record!: string | null;

  @ContractField(() => String, {
    description: 'Seed of the commitments, hexadecimal. Null unless the reader sees the whole record.',
    nullable: true,
  })
  seed!: string | null;

  @ContractField(() => JsonScalar, {
    description: 'Of a redacted event: shown fields with their salts, and the digests of the others.',
    nullable: true,
  })
  line!: unknown;
}

@ObjectType({
  description: 'Place and description of the raw bytes of an event; the bytes are streamed outside the graph.',
})
export class EventRaw {
  @ContractField(() => String, { description: 'The event.', example: 'evt_01JQ0000000000000000000001' })
  event_id!: string;

  @ContractField(() => String, { description: 'SHA-256 of the body that holds them.' })
  raw_sha256!: string;

  @ContractField(() => SafeInteger, { description: 'Offset of the bytes in the body.', example: 106 })
  offset!: number;

  @ContractField(() => SafeInteger, { description: 'Number of bytes.', example: 812 })
  length!: number;

  @ContractField(() => String, { description: 'SHA-256 of these bytes.' })
  sha256!: string;

  @ContractField(() => String, { description: 'Their media type.', example: 'application/edi-x12' })
  media_type!: string;

  @ContractField(() => String, { description: 'Suggested file name.', example: 'evt_01JQ0000000000000000000001.edi' })
  filename!: string;

  @ContractField(() => Boolean, { description: 'Whether they are the whole body.', example: false })
  is_whole!: boolean;

  @ContractField(() => String, { description: 'Member concerned.', optional: true })
  member_id?: string;
}

export const TimelineMember = timelineMemberType();
