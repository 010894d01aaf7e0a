import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS, WithheldType } from '../../../shared/graph/withheld-page.js';
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';

const TIME = { format: 'date-time', example: '2026-03-02T14:11:09.123Z' } as const;

@ObjectType({ description: 'A match within a snippet.' })
export class DocumentMatch {
  @ContractField(() => Int, { description: 'Start of the match.', example: 4, minimum: 0 })
  start!: number;

  @ContractField(() => Int, { description: 'End of the match, exclusive.', example: 14, minimum: 0 })
  end!: number;
}

@ObjectType({ description: 'A snippet of a document around a match.' })
export class DocumentHighlight {
  @ContractField(() => String, {
    description: 'Place in the record (RFC 6901); absent for the text of the content.',
    optional: true,
    example: '/title',
  })
  pointer?: string;

  @ContractField(() => String, { description: 'The snippet; … marks a cut.', example: 'Not documented' })
  snippet!: string;

  @ContractField(() => JsonScalar, { description: 'Matches in the snippet.', shape: listShape('DocumentMatch') })
  matches!: DocumentMatch[];
}

@ObjectType({ description: 'Number of hits with a value.' })
export class DocumentFacetValue {
  @ContractField(() => String, { description: 'The value.', example: 'application/pdf' })
  value!: string;

  @ContractField(() => SafeInteger, { description: 'Number of hits.', example: 12 })
  count!: number;
}

const facet = (what: string) => ({ description: `Hits by ${what}, the most frequent first; 20 at most.` });
const values = { shape: listShape('DocumentFacetValue') };

@ObjectType({ description: 'Counts over all hits.' })
class DocumentSearchFacets {
  @ContractField(() => JsonScalar, { ...facet('kind of document'), ...values })
  document_type!: DocumentFacetValue[];

  @ContractField(() => JsonScalar, { ...facet('media type'), ...values })
  media_type!: DocumentFacetValue[];

  @ContractField(() => JsonScalar, { ...facet('source system'), ...values })
  source_system!: DocumentFacetValue[];

  @ContractField(() => JsonScalar, { ...facet('month (UTC)'), ...values })
  month!: DocumentFacetValue[];
}

@ObjectType({ description: 'A document that matches by its text or its record.' })
class DocumentSearchHit {
  @ContractField(() => String, { description: 'The document.', example: 'doc_01JQ0000000000000000000001' })
  id!: string;

  @ContractField(() => Number, {
    description: 'Relevance from 0 to 1, comparable between pages and kinds.',
    example: 0.71,
    minimum: 0,
    maximum: 1,
  })
  score!: number;

  @ContractField(() => String, { description: 'Name of the file.', example: 'letter.pdf' })
  filename!: string;

  @ContractField(() => String, { description: 'Media type.', example: 'application/pdf' })
  media_type!: string;

  @ContractField(() => String, { description: 'Title.', optional: true, example: 'Denial letter' })
  title?: string;

  @ContractField(() => String, { description: 'Kind of document.', optional: true, example: 'DENIAL_LETTER' })
  document_type?: string;

  @ContractField(() => String, { description: 'Originating system.', optional: true, example: 'um-core' })
  source_system?: string;

  @ContractField(() => String, {
    description: 'Legal matter.',
    optional: true,
    example: 'mat_01JQ0000000000000000000001',
  })
  matter_id?: string;

  @ContractField(() => [String], { description: 'Members concerned.' })
  member_ids!: string[];

  @ContractField(() => String, { description: 'Effective time, else upload time.', ...TIME })
  at!: string;

  @ContractField(() => JsonScalar, {
    description: 'Up to three snippets of its text or its record.',
    shape: listShape('DocumentHighlight'),
  })
  highlights!: DocumentHighlight[];
}

@ObjectType({ description: 'A page of hits, best first.' })
export class DocumentSearchPage {
  @ContractField(() => [DocumentSearchHit], { description: 'Hits of this page.' })
  items!: DocumentSearchHit[];

  @ContractField(() => [String], { description: 'For each hit, the cursor that continues after it.' })
  cursors!: string[];

  @ContractField(() => SafeInteger, { description: 'Total number of hits.', example: 42 })
  total!: number;

  @ContractField(() => Boolean, { description: 'Whether the search left out older documents.' })
  truncated!: boolean;

  @ContractField(() => DocumentSearchFacets, { description: 'Counts over all hits.' })
  facets!: DocumentSearchFacets;

  @ContractField(() => String, { description: 'Cursor of the next page; null on the last one.', nullable: true })
  next_cursor!: string | null;

  @ContractField(() => WithheldType, {
    description: 'Hits that consent withholds for the stated purpose; no item and no count includes them.',
    optional: true,
  })
  withheld?: WithheldType;
}

const filter = (description: string, example: string) => ({
  description,
  example,
  optional: true,
  minLength: 1,
  maxLength: 512,
});

@ArgsType()
export class DocumentSearchArgs {
  @ContractField(() => String, {
    description: 'Words, codes, "phrases", pre*fixes and -exclusions; every part must match.',
    example: '"not medically necessary"',
    minLength: 1,
    maxLength: 1_000,
  })
  query!: string;

  @ContractField(() => String, filter('Only of this member.', 'M-1001'))
  member_id?: string;

  @ContractField(
    () => String,
    filter('Only of this legal matter; finds documents alone.', 'mat_01JQ0000000000000000000001'),
  )
  matter_id?: string;

  @ContractField(() => String, filter('Only of this kind; finds documents alone.', 'DENIAL_LETTER'))
  document_type?: string;

  @ContractField(() => String, filter('Only of this media type; finds documents alone.', 'application/pdf'))
  media_type?: string;

  @ContractField(() => String, filter('Only of this system.', 'um-core'))
  source_system?: string;

  @ContractField(() => String, { description: 'Effective at this time or later.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Effective before this time.', optional: true, ...TIME })
  to?: string;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;

  @ContractField(() => Int, {
    description: `Maximum number of hits; default ${DEFAULT_PAGE_LIMIT}.`,
    example: DEFAULT_PAGE_LIMIT,
    optional: true,
    minimum: 1,
    maximum: MAX_PAGE_LIMIT,
  })
  limit?: number;

  @ContractField(() => String, {
    description: '`next_cursor` of the previous page.',
    optional: true,
    minLength: 1,
    maxLength: 2_048,
  })
  cursor?: string;
}
