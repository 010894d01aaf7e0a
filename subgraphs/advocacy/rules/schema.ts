import { ArgsType, Int } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { PageArgs, PlaceArgs, pageType } from '../../../shared/graph/page.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { MAX_ARTIFACT_BASE64, RULE_BOUNDS, RULE_KINDS, type RuleKind } from './domain/kinds.js';

/** Words on one line, some of them to be seen: no control characters. */
export const ONE_LINE = { pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]*$' } as const;

/** Words on lines: of the control characters a tab and the ends of lines alone. */
export const LINES = { pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$' } as const;

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_RULE = 'rul_01JQ0000000000000000000001';
const EXAMPLE_HASH = 'a3'.repeat(32);
const EXAMPLE_CRITERIA: JsonValue = [
  { id: 'c1', text: 'Age 18 or more.', logic: { '>=': [{ var: 'member.age_years' }, 18] } },
];

const KEY = {
  example: 'acme-cpap-2026',
  minLength: 1,
  maxLength: 128,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]*$',
} as const;
const TITLE = { example: 'CPAP for obstructive sleep apnea', minLength: 1, maxLength: 500 } as const;
const KIND = { example: 'GUIDELINE', enum: [...RULE_KINDS] } as const;
const WORD = { minLength: 1, maxLength: 200 } as const;
/** A day means its first moment in UTC. */
const TIME = {
  maxLength: 40,
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt].+)?$',
} as const;
const CODE = { minLength: 3, maxLength: 64 } as const;

export abstract class RuleMembers {
  @Member(() => String, { description: 'Your name for the rule; all its revisions share it.', ...KEY, shown: KEY })
  key!: string;

  @Member(() => String, { description: 'Title.', ...TITLE, ...ONE_LINE, shown: TITLE })
  title!: string;

  @Member(() => String, { description: 'Kind of rule; the same in every revision.', ...KIND })
  kind!: RuleKind;

  @Member(() => String, { description: 'Jurisdiction; everywhere by default.', nullable: true, ...WORD, ...ONE_LINE })
  jurisdiction!: string | null;

  @Member(() => String, { description: 'Program; all programs by default.', nullable: true, ...WORD, ...ONE_LINE })
  program!: string | null;

  @Member(() => String, {
    description: 'Start of validity: a day, or a time (RFC 3339).',
    example: '2026-01-01',
    ...TIME,
    shown: { example: EXAMPLE_TIME, format: 'date-time' },
  })
  effective_from!: string;

  @Member(() => String, {
    description: 'End of validity: the first day or time out of force. Default: the start of the next revision.',
    nullable: true,
    ...TIME,
    shown: { format: 'date-time' },
  })
  effective_to!: string | null;

  @Member(() => [String], {
    description: 'Codes of the rule: `SYSTEM/CODE`, or `SYSTEM/START*` for a family.',
    example: ['HCPCS/E0601', 'ICD10CM/G47.33'],
    items: CODE,
    maxItems: RULE_BOUNDS.codes,
  })
  codes!: readonly string[];

  @Member(() => JsonScalar, {
    description: 'A list of criteria, each with `text` and `logic` (JsonLogic); or one JsonLogic expression.',
    example: EXAMPLE_CRITERIA,
  })
  criteria!: JsonValue;

  @Member(() => String, {
    description: 'Text of the rule.',
    nullable: true,
    maxLength: RULE_BOUNDS.bodyCharacters,
    ...LINES,
  })
  body!: string | null;

  @Member(() => String, { description: 'Published source.', nullable: true, maxLength: 2_000, ...LINES })
  citation!: string | null;
}

@RecordInput({ description: 'A new rule, or the next revision of the rule with this key.' })
export class RuleInput extends inputOf(RuleMembers, { codes: [], criteria: [] }) {
  @ContractField(() => String, {
    description: 'The source document in base64, at most 10 MiB. Default: the rule in canonical JSON.',
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

  @ContractField(() => Int, {
    description: 'Revision of the rule that the caller has read, 0 for a new rule; CONFLICT if it has another one.',
    optional: true,
    minimum: 0,
  })
  revision?: number;
}

@RecordType({ description: 'One revision of a rule; it never changes.' })
export class Rule extends outputOf(RuleMembers) {
  @ContractField(() => String, { description: 'Identifier of the rule.', example: EXAMPLE_RULE })
  rule_id!: string;

  @ContractField(() => Int, { description: 'Number of the revision.', example: 1 })
  revision!: number;

  @ContractField(() => Boolean, {
    description: 'True for a rule of the shared corpus, which every tenant reads and none changes.',
    example: false,
  })
  shared!: boolean;

  @ContractField(() => String, {
    description: 'Hash of the artifact in the write-once store.',
    example: EXAMPLE_HASH,
    pattern: '^[0-9a-f]{64}$',
  })
  artifact_sha256!: string;

  @ContractField(() => Int, { description: 'Size in bytes.', example: 412 })
  artifact_size!: number;

  @ContractField(() => String, { description: 'Its media type.', example: 'application/json' })
  artifact_media_type!: string;

  @ContractField(() => String, {
    description: 'Time of this revision.',
    example: EXAMPLE_TIME,
    format: 'date-time',
  })
  created_at!: string;

  @ContractField(() => String, { description: 'API key that made it.', example: 'key_01JQ0000000000000000000001' })
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
    description: 'True: only the shared corpus. False: only your own rules. Default: both.',
    optional: true,
  })
  shared?: boolean;

  @ContractField(() => String, {
    description: 'Only rules in force at this time, each in that revision.',
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
