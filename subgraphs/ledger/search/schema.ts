import { ArgsType, Int, ObjectType } from 'type-graphql';
import type { Withheld } from '../../../shared/consent/withheld.js';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS, WithheldType } from '../../../shared/graph/withheld-page.js';
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';

const TIME = { format: 'date-time', example: '2026-03-02T14:11:09.123Z' } as const;

@ObjectType({ description: 'A match within a snippet: from start up to but not including end, in UTF-16 code units.' })
export class SearchMatch {
  @ContractField(() => Int, { description: 'Start of the match.', example: 4, minimum: 0 })
  start!: number;

  @ContractField(() => Int, { description: 'End of the match.', example: 14, minimum: 0 })
  end!: number;
}

@ObjectType({ description: 'A piece of text around a match, as it was recorded.' })
export class SearchHighlight {
  @ContractField(() => String, {
    description: 'Place of the text in the record (RFC 6901).',
    example: '/payload/rationale',
  })
  pointer!: string;

  @ContractField(() => String, { description: 'The piece; … marks a cut.', example: 'Not documented' })
  snippet!: string;

  @ContractField(() => JsonScalar, { description: 'Matches within it.', shape: listShape('SearchMatch') })
  matches!: readonly SearchMatch[];
}

@ObjectType({ description: 'Number of hits with a value.' })
export class SearchFacetValue {
  @ContractField(() => String, {
    description: 'The value, in lower case where case does not matter.',
    example: 'denied',
  })
  value!: string;

  @ContractField(() => SafeInteger, { description: 'Number of hits.', example: 12 })
  count!: number;
}

const facet = (what: string) => ({ description: `Hits by ${what}, the most frequent first; at most 20.` });
const values = { shape: listShape('SearchFacetValue') };

@ObjectType({ description: 'Counts over all hits, not only those of this page.' })
export class EventSearchFacets {
  @ContractField(() => JsonScalar, { ...facet('family'), ...values })
  event_family!: readonly SearchFacetValue[];

  @ContractField(() => JsonScalar, { ...facet('type'), ...values })
  event_type!: readonly SearchFacetValue[];

  @ContractField(() => JsonScalar, { ...facet('outcome'), ...values })
  outcome!: readonly SearchFacetValue[];

  @ContractField(() => JsonScalar, { ...facet('source system'), ...values })
  source_system!: readonly SearchFacetValue[];

  @ContractField(() => JsonScalar, { ...facet('month of the effective time (UTC)'), ...values })
  month!: readonly SearchFacetValue[];
}

@ObjectType({ description: 'Progress of the index, which follows appends within moments.' })
export class SearchFreshness {
  @ContractField(() => SafeInteger, { description: 'Events in the index.', example: 100_000 })
  indexed!: number;

  @ContractField(() => SafeInteger, { description: 'Events appended and not yet indexed.', example: 0 })
  behind!: number;
}

@ObjectType({ description: 'An event found, with its identifying members.' })
export class EventSearchHit {
  @ContractField(() => String, { description: 'The event.', example: 'evt_01JQ0000000000000000000001' })
  id!: string;

  @ContractField(() => Number, {
    description: 'Relevance: 0 to 1, comparable between pages and kinds.',
    example: 0.71,
    minimum: 0,
    maximum: 1,
  })
  score!: number;

  @ContractField(() => String, { description: 'Grouping of the event.', optional: true, example: 'claim' })
  event_family?: string;

  @ContractField(() => String, { description: 'Kind of event.', optional: true, example: 'prior_auth.denied' })
  event_type?: string;

  @ContractField(() => String, { description: 'Result of the event.', optional: true, example: 'DENIED' })
  outcome?: string;

  @ContractField(() => String, { description: 'Member concerned.', optional: true, example: 'M-1001' })
  member_id?: string;

  @ContractField(() => String, { description: 'Originating system.', optional: true, example: 'um-core' })
  source_system?: string;

  @ContractField(() => String, { description: 'Record of the source system.', optional: true, example: 'PA-2026-0001' })
  source_record_id?: string;

  @ContractField(() => String, { description: 'When it took effect, as sent.', optional: true, ...TIME })
  event_effective_timestamp?: string;

  @ContractField(() => SafeInteger, { description: 'Place in its chain, from 1.', example: 1 })
  sequence!: number;

  @ContractField(() => JsonScalar, {
    description: 'Pieces of text with matches; at most three.',
    shape: listShape('SearchHighlight'),
  })
  highlights!: readonly SearchHighlight[];
}

@ObjectType({ description: 'Events found, the best first.' })
export class EventSearchPage {
  @ContractField(() => [EventSearchHit], { description: 'The hits of this page.' })
  items!: readonly EventSearchHit[];

  @ContractField(() => [String], { description: 'For each hit: the cursor of the next hits after it.' })
  cursors!: readonly string[];

  @ContractField(() => SafeInteger, { description: 'Total number of hits.', example: 42 })
  total!: number;

  @ContractField(() => Boolean, {
    description: 'Older events were not examined: hits and counts cover the newest 5,000 with the rarest part.',
  })
  truncated!: boolean;

  @ContractField(() => EventSearchFacets, { description: 'Counts over all hits.' })
  facets!: EventSearchFacets;

  @ContractField(() => SearchFreshness, { description: 'Progress of the index.' })
  freshness!: SearchFreshness;

  @ContractField(() => String, { description: 'Cursor of the next page; null on the last one.', nullable: true })
  next_cursor!: string | null;

  @ContractField(() => WithheldType, {
    description: 'Number of hits that consent withholds for the stated purpose: they are in no item and no count.',
    optional: true,
  })
  withheld?: Withheld;
}

const filter = (description: string, example: string) => ({
  description,
  example,
  optional: true,
  minLength: 1,
  maxLength: 512,
});

@ArgsType()
export class EventSearchArgs {
  @ContractField(() => String, {
    description: 'Words, codes, "phrases", pre*fixes and -exclusions; a hit must have every part.',
    example: '"not medically necessary" M25.561 -appeal',
    minLength: 1,
    maxLength: 1_000,
  })
  query!: string;

  @ContractField(() => String, filter('Of this family, in any case.', 'claim'))
  event_family?: string;

  @ContractField(() => String, filter('Of this type, in any case.', 'prior_auth.denied'))
  event_type?: string;

  @ContractField(() => String, filter('With this outcome, in any case.', 'denied'))
  outcome?: string;

  @ContractField(() => String, filter('Of this member.', 'M-1001'))
  member_id?: string;

  @ContractField(() => String, filter('Of this source system; required to search a system partition.', 'um-core'))
  source_system?: string;

  @ContractField(() => String, { description: 'Effective at or after.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Effective before.', optional: true, ...TIME })
  to?: string;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;

  @ContractField(() => Int, {
    description: `Largest number of hits to return; ${DEFAULT_PAGE_LIMIT} by default.`,
    example: DEFAULT_PAGE_LIMIT,
    optional: true,
    minimum: 1,
    maximum: MAX_PAGE_LIMIT,
  })
  limit?: number;

  @ContractField(() => String, {
    description: 'The `next_cursor` of the previous page.',
    optional: true,
    minLength: 1,
    maxLength: 2_048,
  })
  cursor?: string;
}
