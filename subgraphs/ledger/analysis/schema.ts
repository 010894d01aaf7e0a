import { ArgsType, Float, Int, ObjectType } from 'type-graphql';
import type { Withheld } from '../../../shared/consent/withheld.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PURPOSE_OPTIONS, WithheldType } from '../../../shared/graph/withheld-page.js';
import { EventRecord } from '../events/schema.js';
import type { DenialGroup } from './domain/index.js';

const TIME = { format: 'date-time', example: '2026-03-02T14:11:09.123Z' } as const;
const EVENT = 'evt_01JQ0000000000000000000001';
const TRUNCATED = {
  description:
    'True if the answer omits something: more events than one analysis examines, or more items than asked for.',
  example: false,
} as const;

const limit = (most: number, byDefault: number) => ({
  description: `Largest number of items to return; ${byDefault} by default.`,
  example: byDefault,
  optional: true,
  minimum: 1,
  maximum: most,
});

@ObjectType({ description: 'A denial, and the appeals that name the same claim.' })
export class AppealedDenial {
  @ContractField(() => EventRecord, { description: 'The denial: an event with the outcome DENIED.' })
  denial!: EventRecord;

  @ContractField(() => [EventRecord], {
    description: 'Events of the family `appeal` with the same `payload.claim_id`, oldest first.',
  })
  appeals!: readonly EventRecord[];

  @ContractField(() => Boolean, {
    description: 'True if one of these appeals has the outcome OVERTURNED.',
    example: true,
  })
  overturned!: boolean;
}

@ObjectType({ description: 'Denials that were appealed, newest first.' })
export class AppealedDenials {
  @ContractField(() => String, { description: 'Start of the span of denials.', ...TIME })
  from!: string;

  @ContractField(() => String, { description: 'End of the span, exclusive.', ...TIME })
  to!: string;

  @ContractField(() => [AppealedDenial], { description: 'The denials with their appeals.' })
  items!: readonly AppealedDenial[];

  @ContractField(() => Boolean, TRUNCATED)
  truncated!: boolean;

  @ContractField(() => WithheldType, {
    description: 'Events that consent withholds for the stated purpose; no item shows them.',
    optional: true,
  })
  withheld?: Withheld;
}

/** Span of effective times; the last calendar month in UTC by default. */
@ArgsType()
class SpanArgs {
  @ContractField(() => String, {
    description: 'Effective at or after. Without `from` and `to`: the last calendar month in UTC.',
    optional: true,
    ...TIME,
  })
  from?: string;

  @ContractField(() => String, { description: 'Effective before.', optional: true, ...TIME })
  to?: string;
}

@ArgsType()
export class AppealedDenialArgs extends SpanArgs {
  @ContractField(() => String, {
    description: 'A code that the denial names, as SYSTEM:CODE.',
    example: 'carc:50',
    maxLength: 256,
  })
  code!: string;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;

  @ContractField(() => Int, limit(200, 50))
  limit?: number;
}

@ObjectType({ description: 'Denials with the same provider, reason, program and month.' })
class DenialSummaryGroup implements DenialGroup {
  @ContractField(() => String, {
    description: 'NPI of the provider; null where the denial names none.',
    nullable: true,
    example: '1234567893',
  })
  provider!: string | null;

  @ContractField(() => String, {
    description: 'Claim adjustment reason code; null where the denial names none.',
    nullable: true,
    example: '50',
  })
  code!: string | null;

  @ContractField(() => String, {
    description: 'Program in lower case; null where the denial names none.',
    nullable: true,
    example: 'medicare',
  })
  program!: string | null;

  @ContractField(() => String, { description: 'Month of the effective time in UTC.', example: '2026-03' })
  month!: string;

  @ContractField(() => Int, { description: 'Number of denials.', example: 8 })
  denials!: number;

  @ContractField(() => Int, { description: 'Denials with an appeal of the same claim.', example: 4 })
  appealed!: number;

  @ContractField(() => Int, { description: 'Denials with an overturned appeal.', example: 2 })
  overturned!: number;

  @ContractField(() => Float, {
    description: 'Share of the appealed denials that were overturned; null if none was appealed.',
    nullable: true,
    example: 0.5,
  })
  overturn_rate!: number | null;
}

@ObjectType({ description: 'Denials by provider, reason, program and month.' })
export class DenialSummary {
  @ContractField(() => String, { description: 'Start of the span.', ...TIME })
  from!: string;

  @ContractField(() => String, { description: 'End of the span, exclusive.', ...TIME })
  to!: string;

  @ContractField(() => Int, { description: 'Number of denials; each counts once.', example: 40 })
  denials!: number;

  @ContractField(() => [DenialSummaryGroup], {
    description: 'The groups, the largest first. A denial with two reasons or providers is in the group of each.',
  })
  items!: readonly DenialSummaryGroup[];

  @ContractField(() => Boolean, TRUNCATED)
  truncated!: boolean;
}

@ArgsType()
export class DenialSummaryArgs extends SpanArgs {
  @ContractField(() => Int, limit(500, 100))
  limit?: number;
}

@ObjectType({ description: 'Remittances of one provider that no claim matches.' })
class UnmatchedProvider {
  @ContractField(() => String, {
    description: 'NPI of the provider; null where the remittance names none.',
    nullable: true,
    example: '1234567893',
  })
  provider!: string | null;

  @ContractField(() => Int, { description: 'Number of remittances.', example: 3 })
  remittances!: number;

  @ContractField(() => String, { description: 'Effective time of the oldest.', ...TIME })
  oldest_at!: string;

  @ContractField(() => String, { description: 'Effective time of the newest.', ...TIME })
  newest_at!: string;

  @ContractField(() => [String], { description: 'The newest of these events; 20 at most.', example: [EVENT] })
  event_ids!: readonly string[];
}

@ObjectType({ description: 'Providers with remittances that no claim matches.' })
export class UnmatchedRemittances {
  @ContractField(() => Int, { description: 'Number of such remittances; each counts once.', example: 5 })
  remittances!: number;

  @ContractField(() => [UnmatchedProvider], { description: 'The providers, the one with most remittances first.' })
  items!: readonly UnmatchedProvider[];

  @ContractField(() => Boolean, TRUNCATED)
  truncated!: boolean;
}

@ArgsType()
export class UnmatchedArgs {
  @ContractField(() => String, {
    description: 'Effective at or after; without a limit by default.',
    optional: true,
    ...TIME,
  })
  from?: string;

  @ContractField(() => String, { description: 'Effective before.', optional: true, ...TIME })
  to?: string;

  @ContractField(() => Int, limit(500, 100))
  limit?: number;
}

@ObjectType({ description: 'A relation between two events of a conversation.' })
class ConversationLink {
  @ContractField(() => String, { description: 'The event that states the relation.', example: EVENT })
  from!: string;

  @ContractField(() => String, { description: 'The event that it leads to.', example: EVENT })
  to!: string;

  @ContractField(() => String, { description: 'Kind of relation; see docs/linking.md.', example: 'ADJUDICATES' })
  kind!: string;

  @ContractField(() => String, { description: 'Meaning of the number that both name.', example: 'CLAIM' })
  via!: string;
}

@ObjectType({ description: 'All events about one claim, from authorization to appeal.' })
export class ClaimConversation {
  @ContractField(() => String, { description: 'The claim.', example: 'CLM-1001' })
  claim!: string;

  @ContractField(() => [EventRecord], { description: 'The events in order of effective time; 200 at most.' })
  events!: readonly EventRecord[];

  @ContractField(() => [ConversationLink], { description: 'Relations between these events.' })
  links!: readonly ConversationLink[];

  @ContractField(() => Boolean, TRUNCATED)
  truncated!: boolean;

  @ContractField(() => WithheldType, {
    description: 'Events that consent withholds for the stated purpose; the answer omits them.',
    optional: true,
  })
  withheld?: Withheld;
}

@ArgsType()
export class ConversationArgs {
  @ContractField(() => String, {
    description: 'The claim, as `payload.claim_id` names it.',
    example: 'CLM-1001',
    minLength: 1,
    maxLength: 256,
  })
  claim!: string;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;
}
