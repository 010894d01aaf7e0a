import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, PlaceArgs, pageType } from '../../../shared/graph/page.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { MAX_ARTIFACT_BASE64, RULE_BOUNDS } from '../domain/rules/rule-bounds.js';
import { RULE_KINDS, type RuleKind } from '../domain/rules/rule-kinds.js';
import { LINES, ONE_LINE } from './texts.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_RULE = 'rul_01JQ0000000000000000000001';
const EXAMPLE_HASH = 'a3'.repeat(32);
const EXAMPLE_CRITERIA = [
  { id: 'c1', text: 'Age 18 or more.', logic: { '>=': [{ var: 'member.age_years' }, 18] } },
] as unknown as JsonValue;

const KEY = {
  example: 'acme-cpap-2026',
  minLength: 1,
  maxLength: 128,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]*$',
} as const;
const TITLE = { example: 'CPAP for obstructive sleep apnea', minLength: 1, maxLength: 500 } as const;
const KIND = { example: 'GUIDELINE', enum: [...RULE_KINDS] } as const;
const WORD = { minLength: 1, maxLength: 200 } as const;
/** A day stands for its first moment in UTC. */
const TIME = {
  maxLength: 40,
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt].+)?$',
} as const;
const CODE = { minLength: 3, maxLength: 64 } as const;

@InputType({ description: 'A rule, or with a key that is known its next revision.' })
export class RuleInput {
  @ContractField(() => String, { description: 'Your own name of the rule; its revisions share it.', ...KEY })
  key!: string;

  @ContractField(() => String, { description: 'What it is called.', ...TITLE, ...ONE_LINE })
  title!: string;

  @ContractField(() => String, { description: 'What it is; the same in every revision.', ...KIND })
  kind!: RuleKind;

  @ContractField(() => String, {
    description: 'Where it applies; everywhere unless told.',
    optional: true,
    ...WORD,
    ...ONE_LINE,
  })
  jurisdiction?: string;

  @ContractField(() => String, {
    description: 'For which program; for all unless told.',
    optional: true,
    ...WORD,
    ...ONE_LINE,
  })
  program?: string;

  @ContractField(() => String, {
    description: 'From when it is in force: a day, or a time (RFC 3339).',
    example: '2026-01-01',
    ...TIME,
  })
  effective_from!: string;

  @ContractField(() => String, {
    description: 'The first day or time at which it is no longer in force; until another revision begins unless told.',
    optional: true,
    ...TIME,
  })
  effective_to?: string;

  @ContractField(() => [String], {
    description: 'What it is about: `SYSTEM/CODE`, or `SYSTEM/START*` for a family.',
    example: ['HCPCS/E0601', 'ICD10CM/G47.33'],
    optional: true,
    items: CODE,
    maxItems: RULE_BOUNDS.codes,
  })
  codes?: string[];

  @ContractField(() => JsonScalar, {
    description: 'A list of criteria, each with `text` and `logic` (JsonLogic); or one JsonLogic expression.',
    example: EXAMPLE_CRITERIA,
    optional: true,
  })
  criteria?: JsonValue;

  @ContractField(() => String, {
    description: 'Its words.',
    optional: true,
    maxLength: RULE_BOUNDS.bodyCharacters,
    ...LINES,
  })
  body?: string;

  @ContractField(() => String, {
    description: 'Where it is published.',
    optional: true,
    maxLength: 2_000,
    ...LINES,
  })
  citation?: string;

  @ContractField(() => String, {
    description: 'The document itself, in base64, of 10 MiB at most; the rule in canonical JSON unless told.',
    optional: true,
    maxLength: MAX_ARTIFACT_BASE64,
  })
  artifact?: string;

  @ContractField(() => String, {
    description: 'Media type of the artifact.',
    example: 'application/pdf',
    optional: true,
    maxLength: 255,
    pattern: '^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+$',
  })
  artifact_media_type?: string;
}

@ObjectType({ description: 'One revision of a rule; it never changes.' })
export class Rule {
  @ContractField(() => String, { description: 'Identifier of the rule.', example: EXAMPLE_RULE })
  rule_id!: string;

  @ContractField(() => String, { description: 'Its name.', ...KEY })
  key!: string;

  @ContractField(() => Int, { description: 'Number of the revision.', example: 1 })
  revision!: number;

  @ContractField(() => Boolean, {
    description: 'Of the corpus that comes with the service, which every tenant reads and none changes.',
    example: false,
  })
  shared!: boolean;

  @ContractField(() => String, { description: 'What it is called.', ...TITLE })
  title!: string;

  @ContractField(() => String, { description: 'What it is.', ...KIND })
  kind!: RuleKind;

  @ContractField(() => String, { description: 'Where it applies; null for everywhere.', nullable: true })
  jurisdiction!: string | null;

  @ContractField(() => String, { description: 'For which program; null for all.', nullable: true })
  program!: string | null;

  @ContractField(() => String, { description: 'From when.', example: EXAMPLE_TIME, format: 'date-time' })
  effective_from!: string;

  @ContractField(() => String, {
    description: 'The first moment at which it is no longer in force; null: until another revision begins.',
    nullable: true,
    format: 'date-time',
  })
  effective_to!: string | null;

  @ContractField(() => [String], { description: 'What it is about.', example: ['HCPCS/E0601', 'ICD10CM/G47.33'] })
  codes!: string[];

  @ContractField(() => JsonScalar, { description: 'Its criteria, in order.', example: EXAMPLE_CRITERIA })
  criteria!: JsonValue;

  @ContractField(() => String, { description: 'Its words.', nullable: true })
  body!: string | null;

  @ContractField(() => String, { description: 'Where it is published.', nullable: true })
  citation!: string | null;

  @ContractField(() => String, {
    description: 'Hash of the artifact in the write-once store.',
    example: EXAMPLE_HASH,
    pattern: '^[0-9a-f]{64}$',
  })
  artifact_sha256!: string;

  @ContractField(() => Int, { description: 'Its bytes.', example: 412 })
  artifact_size!: number;

  @ContractField(() => String, { description: 'Its media type.', example: 'application/json' })
  artifact_media_type!: string;

  @ContractField(() => String, {
    description: 'When this revision was made.',
    example: EXAMPLE_TIME,
    format: 'date-time',
  })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that made it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;
}

export const RulePage = pageType('RulePage', () => Rule);

@ArgsType()
export class RuleFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only of this kind.', optional: true, enum: [...RULE_KINDS] })
  kind?: RuleKind;

  @ContractField(() => String, { description: 'Only about this code, `SYSTEM/CODE`.', optional: true, ...CODE })
  code?: string;

  @ContractField(() => String, { description: 'Only for this program.', optional: true, ...WORD })
  program?: string;

  @ContractField(() => String, { description: 'Only of this jurisdiction.', optional: true, ...WORD })
  jurisdiction?: string;

  @ContractField(() => String, { description: 'Only with this key.', optional: true, minLength: 1, maxLength: 128 })
  key?: string;

  @ContractField(() => Boolean, {
    description: 'Only the shared corpus, or only your own; both unless told.',
    optional: true,
  })
  shared?: boolean;

  @ContractField(() => String, {
    description: 'Only those in force at this time, each in the revision that is.',
    optional: true,
    format: 'date-time',
  })
  at?: string;

  @ContractField(() => String, { description: 'Added at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Added before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@ArgsType()
export class RuleRevisionFilter extends PlaceArgs {
  @ContractField(() => String, { description: 'The rule.', example: EXAMPLE_RULE, maxLength: 64 })
  rule_id!: string;
}
