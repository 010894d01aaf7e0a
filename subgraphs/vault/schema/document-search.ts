import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS, WithheldType } from '../../../shared/graph/withheld-page.js';
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';

const TIME = { format: 'date-time', example: '2026-03-02T14:11:09.123Z' } as const;

@ObjectType({ description: 'A finding within a snippet of a document.' })
export class DocumentMatch {
  @ContractField(() => Int, { description: 'Where it begins.', example: 4, minimum: 0 })
  start!: number;

  @ContractField(() => Int, { description: 'Where it has ended.', example: 14, minimum: 0 })
  end!: number;
}

@ObjectType({ description: 'A piece of a document around what was looked for.' })
export class DocumentHighlight {
  @ContractField(() => String, {
    description: 'Where in the record it stands (RFC 6901); left out where it is of the text of the content.',
    optional: true,
    example: '/title',
  })
  pointer?: string;

  @ContractField(() => String, { description: 'The piece; … where it was cut.', example: 'Not documented' })
  snippet!: string;

  @ContractField(() => JsonScalar, { description: 'Findings within it.', shape: listShape('DocumentMatch') })
  matches!: DocumentMatch[];
}

@ObjectType({ description: 'How many documents found have a value.' })
export class DocumentFacetValue {
  @ContractField(() => String, { description: 'The value.', example: 'application/pdf' })
  value!: string;

  @ContractField(() => SafeInteger, { description: 'Hits that have it.', example: 12 })
  count!: number;
}

const facet = (what: string) => ({ description: `Hits by ${what}, the most frequent first; 20 at most.` });
const values = { shape: listShape('DocumentFacetValue') };

@ObjectType({ description: 'Counts over all documents found.' })
export class DocumentSearchFacets {
  @ContractField(() => JsonScalar, { ...facet('kind of document'), ...values })
  document_type!: DocumentFacetValue[];

  @ContractField(() => JsonScalar, { ...facet('media type'), ...values })
  media_type!: DocumentFacetValue[];

  @ContractField(() => JsonScalar, { ...facet('source system'), ...values })
  source_system!: DocumentFacetValue[];

  @ContractField(() => JsonScalar, { ...facet('month (UTC)'), ...values })
  month!: DocumentFacetValue[];
}

@ObjectType({ description: 'A document found by its text or its record.' })
export class DocumentSearchHit {
  @ContractField(() => String, { description: 'The document.', example: 'doc_01JQ0000000000000000000001' })
  id!: string;

  @ContractField(() => Number, {
    description: 'How well it fits: 0 to 1, comparable between pages and kinds.',
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

  @ContractField(() => String, { description: 'When it took effect, else when it was taken in.', ...TIME })
  at!: string;

  @ContractField(() => JsonScalar, {
    description: 'Where its text or its record shows what was looked for: three places at most.',
    shape: listShape('DocumentHighlight'),
  })
  highlights!: DocumentHighlight[];
}

@ObjectType({ description: 'Documents found, the best first.' })
export class DocumentSearchPage {
  @ContractField(() => [DocumentSearchHit], { description: 'The hits of this page.' })
  items!: DocumentSearchHit[];

  @ContractField(() => [String], { description: 'Of each hit: the cursor that goes on after it.' })
  cursors!: string[];

  @ContractField(() => SafeInteger, { description: 'Hits in all.', example: 42 })
  total!: number;

  @ContractField(() => Boolean, { description: 'Older documents were not looked at.' })
  truncated!: boolean;

  @ContractField(() => DocumentSearchFacets, { description: 'Counts over all hits.' })
  facets!: DocumentSearchFacets;

  @ContractField(() => String, { description: 'Cursor of the next page; null on the last one.', nullable: true })
  next_cursor!: string | null;

  @ContractField(() => WithheldType, {
    description: 'Told where a stated purpose keeps hits back: they are in no item and no count.',
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
    description: 'Words, codes, "phrases", pre*fixes and -exclusions; every part must be found.',
    example: '"not medically necessary"',
    minLength: 1,
    maxLength: 1_000,
  })
  query!: string;

  @ContractField(() => String, filter('Of this member.', 'M-1001'))
  member_id?: string;

  @ContractField(() => String, filter('Of this legal matter; finds documents alone.', 'mat_01JQ0000000000000000000001'))
  matter_id?: string;

  @ContractField(() => String, filter('Of this kind; finds documents alone.', 'DENIAL_LETTER'))
  document_type?: string;

  @ContractField(() => String, filter('Of this media type; finds documents alone.', 'application/pdf'))
  media_type?: string;

  @ContractField(() => String, filter('Of this system.', 'um-core'))
  source_system?: string;

  @ContractField(() => String, { description: 'Effective at or after.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Effective before.', optional: true, ...TIME })
  to?: string;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;

  @ContractField(() => Int, {
    description: `Most hits to show; ${DEFAULT_PAGE_LIMIT} unless told.`,
    example: DEFAULT_PAGE_LIMIT,
    optional: true,
    minimum: 1,
    maximum: MAX_PAGE_LIMIT,
  })
  limit?: number;

  @ContractField(() => String, {
    description: 'The `next_cursor` of the page before.',
    optional: true,
    minLength: 1,
    maxLength: 2_048,
  })
  cursor?: string;
}
