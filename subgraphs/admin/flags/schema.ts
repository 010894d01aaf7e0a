import { ArgsType, Float, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { pageType, WindowArgs } from '../../../shared/graph/page.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { JsonObject, JsonValue } from '../../../shared/json/strict-json.js';
import { NAME_LIMITS } from '../lists/schema.js';
import { FLAG_ERROR_CODES, FLAG_REASONS, type FlagErrorCode, type FlagReason } from './domain/evaluate-flag.js';
import { FLAG_KEY_PATTERN, FLAG_LIMITS, FLAG_TYPES, type FlagType, type SplitShare } from './domain/feature-flag.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_KEY = 'new-timeline';
const TYPES = [...FLAG_TYPES];
const VARIANTS_SHAPE = { type: 'object', additionalProperties: {} };
const VARIANT_LIMITS = { pattern: FLAG_KEY_PATTERN };

@InputType({ description: 'A share of the contexts that a rule matches.' })
class FlagShare implements SplitShare {
  @ContractField(() => String, { description: 'Variant of the share.', example: 'on', ...VARIANT_LIMITS })
  variant!: string;

  @ContractField(() => Float, {
    description: 'Percentage, two decimals. Flag key and targeting key alone decide who is in the share.',
    example: 25,
    minimum: 0,
    maximum: 100,
  })
  percent!: number;
}

@InputType({ description: 'A targeting rule; the first matching rule decides. It has either variant or split.' })
export class FlagTargetingRule {
  @ContractField(() => JsonScalar, {
    description:
      'Condition; absent matches every context. JsonLogic with == != < <= > >= in starts_with ends_with and or ! var, at most 8 deep.',
    example: { in: [{ var: 'jurisdiction' }, ['US-CA', 'US-NY']] },
    optional: true,
  })
  when?: JsonValue;

  @ContractField(() => String, {
    description: 'Variant that the rule returns.',
    example: 'on',
    optional: true,
    ...VARIANT_LIMITS,
  })
  variant?: string;

  @ContractField(() => Float, {
    description: 'Percentage of the matching contexts; the others continue with the next rule.',
    example: 25,
    optional: true,
    minimum: 0,
    maximum: 100,
  })
  percent?: number;

  @ContractField(() => [FlagShare], {
    description: 'Shares of at most 100 percent in total; the other contexts continue with the next rule.',
    optional: true,
    minItems: 1,
    maxItems: FLAG_LIMITS.variants,
  })
  split?: FlagShare[];
}

/** The definition of a flag. */
abstract class FlagMembers {
  @Member(() => String, { description: 'Type of the variants.', example: 'boolean', enum: TYPES })
  type!: FlagType;

  @Member(() => String, { description: 'Purpose.', nullable: true, maxLength: 2_000 })
  description!: string | null;

  @Member(() => JsonScalar, {
    description: 'Values by name, all of the given type.',
    example: { on: true, off: false },
    shape: VARIANTS_SHAPE,
  })
  variants!: JsonObject;

  @Member(() => String, { description: 'Variant returned if no rule matches.', example: 'off', ...VARIANT_LIMITS })
  default_variant!: string;

  @Member(() => JsonScalar, {
    description: 'Rules in order.',
    shape: { ...listShape('FlagTargetingRule'), maxItems: FLAG_LIMITS.rules },
    shown: { shape: listShape('FlagTargetingRule') },
  })
  targeting!: FlagTargetingRule[];

  @Member(() => Boolean, { description: 'True by default; false returns the default variant.', example: true })
  enabled!: boolean;

  @Member(() => String, { description: 'Responsible person or team.', nullable: true, ...NAME_LIMITS })
  owner!: string | null;

  @Member(() => String, {
    description: 'From this time on the flag counts as disabled.',
    example: '2027-03-02T00:00:00.000Z',
    nullable: true,
    format: 'date-time',
  })
  expires_at!: string | null;
}

@RecordInput({ description: 'The definition of a feature flag.' })
export class FeatureFlagInput extends inputOf(FlagMembers, { targeting: [], enabled: true }) {
  @ContractField(() => Int, {
    description: 'Revision that the caller has read; another current revision is a CONFLICT.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@ArgsType()
export class PutFeatureFlagArgs {
  @ContractField(() => String, {
    description: "The flag's key, chosen by the caller.",
    example: EXAMPLE_KEY,
    pattern: FLAG_KEY_PATTERN,
  })
  key!: string;

  @ContractField(() => FeatureFlagInput, { description: 'Definition of the flag.' })
  input!: FeatureFlagInput;
}

@ObjectType({ description: 'One change of a flag.' })
class FeatureFlagChange {
  @ContractField(() => Int, { description: 'Revision after the change.', example: 2 })
  revision!: number;

  @ContractField(() => String, { description: 'Action.', example: 'feature-flag.updated' })
  action!: string;

  @ContractField(() => String, { description: 'Time of the change.', example: EXAMPLE_TIME, format: 'date-time' })
  at!: string;

  @ContractField(() => String, {
    description: 'API key that made the change.',
    example: 'key_01JQ0000000000000000000001',
  })
  by!: string;

  @ContractField(() => String, { description: 'Actor of the API key.', nullable: true })
  actor_id!: string | null;

  @ContractField(() => [String], { description: 'Members that changed.', example: ['targeting'] })
  changed!: string[];
}

@RecordType({ description: 'A feature flag.' })
export class FeatureFlag extends outputOf(FlagMembers) {
  @ContractField(() => String, { description: "The flag's key.", example: EXAMPLE_KEY })
  key!: string;

  @ContractField(() => String, { description: 'Tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => Int, { description: 'Number of changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'Time of creation.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'Time of the last change.', example: EXAMPLE_TIME, format: 'date-time' })
  updated_at!: string;

  @ContractField(() => [FeatureFlagChange], { description: 'Latest changes, oldest first.' })
  history!: FeatureFlagChange[];
}

export const FeatureFlagPage = pageType('FeatureFlagPage', () => FeatureFlag);

@ArgsType()
export class FeatureFlagFilter extends WindowArgs {
  @ContractField(() => String, { description: 'Only flags of this type.', optional: true, enum: TYPES })
  type?: FlagType;

  @ContractField(() => Boolean, { description: 'Only enabled or only disabled flags.', optional: true })
  enabled?: boolean;

  @ContractField(() => String, { description: 'Only flags of this owner.', optional: true, maxLength: 200 })
  owner?: string;
}

@ArgsType()
export class EvaluateFlagsArgs {
  @ContractField(() => String, {
    description: 'Key of one flag; all flags of the tenant if absent.',
    example: 'new-timeline',
    optional: true,
    minLength: 1,
    maxLength: 512,
  })
  key?: string;

  @ContractField(() => String, {
    description: 'Expected type; another one is TYPE_MISMATCH.',
    example: 'boolean',
    optional: true,
    enum: [...FLAG_TYPES],
  })
  type?: FlagType;

  @ContractField(() => JsonScalar, {
    description: 'Context: targeting_key (or targetingKey), and attributes for the rules.',
    example: { targeting_key: 'user-17', jurisdiction: 'US-CA' },
    optional: true,
  })
  context?: JsonValue;
}

@ObjectType({ description: 'The value of a flag for one context, in the terms of OpenFeature.' })
export class FlagEvaluation {
  @ContractField(() => String, { description: 'The flag.', example: 'new-timeline' })
  key!: string;

  @ContractField(() => JsonScalar, { description: 'Value; null after an error.', example: true })
  value!: JsonValue;

  @ContractField(() => String, { description: 'Name of the variant.', example: 'on', nullable: true })
  variant!: string | null;

  @ContractField(() => String, { description: 'Reason of the value.', example: 'SPLIT', enum: [...FLAG_REASONS] })
  reason!: FlagReason;

  @ContractField(() => String, { description: 'Error code.', nullable: true, enum: [...FLAG_ERROR_CODES] })
  error_code!: FlagErrorCode | null;

  @ContractField(() => String, { description: 'Error message.', nullable: true })
  error_message!: string | null;

  @ContractField(() => JsonScalar, {
    description: 'Revision and owner of the flag.',
    example: { revision: 3, owner: 'analytics' },
    shape: { type: 'object', additionalProperties: {} },
  })
  metadata!: JsonObject;
}

@ObjectType({ description: 'Evaluations of one context.' })
export class FlagEvaluations {
  @ContractField(() => JsonScalar, { description: 'One for each flag, by key.', shape: listShape('FlagEvaluation') })
  evaluations!: FlagEvaluation[];

  @ContractField(() => String, {
    description: 'Error of the whole request.',
    optional: true,
    enum: [...FLAG_ERROR_CODES],
  })
  error_code?: FlagErrorCode;

  @ContractField(() => String, { description: 'Error message.', optional: true })
  error_message?: string;
}
